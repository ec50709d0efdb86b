/**
 * Takes writes from their callers to a signed commit: prepare, share a commit, move {@code main}, answer.
 *
 * <p>Invariant: a writer signs only what it has verified, and answers only what is on disk.
 */
@NullMarked
package dev.tallystick.ledger.write;

import org.jspecify.annotations.NullMarked;
