/**
 * Durable workflows in your own process: the library that users depend on.
 *
 * <p>Main types: {@link dev.tallystick.Tallystick} is the entry point, {@link dev.tallystick.JobHandle} follows one job,
 * {@link dev.tallystick.Submit} sets the key and the time. Workflows are written against {@link dev.tallystick.workflow.Workflow}
 * and {@link dev.tallystick.workflow.Context}.
 *
 * <p>Invariant: a request submitted under one key happens once, however often and from wherever it is submitted.
 *
 * <p>Contains no logic of its own: it wires the modules below and maps their types to convenient ones.
 */
@NullMarked
package dev.tallystick;

import org.jspecify.annotations.NullMarked;
