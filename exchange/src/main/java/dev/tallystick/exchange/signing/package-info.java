/**
 * Ed25519 signatures over batches: one signature covers the root of a Merkle tree, and each statement keeps its path.
 *
 * <p>Main types: {@link dev.tallystick.exchange.signing.SigningKey}, {@link dev.tallystick.exchange.signing.BatchSignature},
 * {@link dev.tallystick.exchange.signing.GroupSigner}.
 *
 * <p>Invariant: a signature proves one statement, and reveals nothing about the others of its batch but their hashes.
 *
 * <p>Knows nothing of messages.
 */
@NullMarked
package dev.tallystick.exchange.signing;

import org.jspecify.annotations.NullMarked;
