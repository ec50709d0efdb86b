/**
 * Hooks: programs of the user that run when something happens.
 *
 * <p>{@link dev.tallystick.daemon.hooks.Hooks} follows the events of the inbox and runs one program at a time, within limits of
 * time, output and environment, and writes a line about each run.
 *
 * <p>Invariant: a hook runs after its event is on disk, at least once, and never on a thread that the daemon depends on.
 */
@NullMarked
package dev.tallystick.daemon.hooks;

import org.jspecify.annotations.NullMarked;
