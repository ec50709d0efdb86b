/**
 * Git objects, packs, refs and locks on disk.
 *
 * <p>{@code ObjectStore} reads, {@code PackBuilder} and {@code PackDirectory} write, {@code Ref} moves {@code main} by Git's own
 * lock protocol.
 *
 * <p>Invariant: a write is forced to disk before it is named, and every object read was hashed.
 *
 * <p>Knows nothing of ledgers.
 */
@NullMarked
package dev.tallystick.ledger.git;

import org.jspecify.annotations.NullMarked;
