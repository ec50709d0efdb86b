/**
 * Checks Ed25519 signatures in the format of {@code ssh-keygen}, fast where one key signed many.
 */
@NullMarked
package dev.tallystick.ledger.verifier.signature;

import org.jspecify.annotations.NullMarked;
