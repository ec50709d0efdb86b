/**
 * Runs workflows and records every step exactly once.
 *
 * <p>Main types: {@link dev.tallystick.engine.Engine} accepts and runs jobs; users write a
 * {@link dev.tallystick.engine.Workflow}, which calls its {@link dev.tallystick.engine.Context}, or draw a
 * {@link dev.tallystick.engine.Graph}; internally, {@code CollationStore} keeps the ledgers.
 *
 * <p>Invariant: durable work commits together with the digit that proves it. If the digit is set, the work is done; if not, the
 * work is done again.
 *
 * <p>Knows nothing about HTTP, other parties, or Git.
 */
@NullMarked
package dev.tallystick.engine;

import org.jspecify.annotations.NullMarked;
