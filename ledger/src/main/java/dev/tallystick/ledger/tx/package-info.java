/**
 * The values of a ledger: transactions (TxV3), their hashes, streams, collections, and the outcomes of writes.
 *
 * <p>Invariant: each transaction has exactly one encoding.
 *
 * <p>Knows nothing of Git.
 */
@NullMarked
package dev.tallystick.ledger.tx;

import org.jspecify.annotations.NullMarked;
