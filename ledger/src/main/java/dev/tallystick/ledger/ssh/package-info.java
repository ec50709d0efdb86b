/**
 * Ed25519 keys and signatures in the formats of {@code ssh-keygen}.
 *
 * <p>Knows nothing of Git and ledgers.
 */
@NullMarked
package dev.tallystick.ledger.ssh;

import org.jspecify.annotations.NullMarked;
