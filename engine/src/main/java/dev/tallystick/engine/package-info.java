/**
 * Runs workflows whose every step is recorded once.
 *
 * <p>Main types: {@link dev.tallystick.engine.Engine} accepts and runs jobs, {@link dev.tallystick.engine.Workflow} is what users
 * write and {@link dev.tallystick.engine.Context} what it sees, {@link dev.tallystick.engine.Graph} what they draw instead; inside,
 * {@code CollationStore} keeps the ledgers.
 *
 * <p>Invariant: durable work commits together with the digit that proves it. If the digit is set the work is done; if it is not,
 * it is done again.
 *
 * <p>Knows nothing of HTTP, of other parties, or of Git.
 */
@NullMarked
package dev.tallystick.engine;

import org.jspecify.annotations.NullMarked;
