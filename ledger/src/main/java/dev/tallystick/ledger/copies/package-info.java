/**
 * Exchanges commits with other copies of a ledger, and merges them.
 *
 * <p>Invariant: no local commit is ever lost, and nothing unverified becomes part of {@code main}.
 */
@NullMarked
package dev.tallystick.ledger.copies;

import org.jspecify.annotations.NullMarked;
