/**
 * Reads the files of a Git repository for the verifier: a second implementation, apart from the writer's.
 *
 * <p>Invariant: what is handed out has the ID that was asked for, and the work is bounded by what is there.
 */
@NullMarked
package dev.tallystick.ledger.verifier.git;

import org.jspecify.annotations.NullMarked;
