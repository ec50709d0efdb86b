/**
 * Durable workflows in your own process: the library that users depend on.
 *
 * <p>Main types: {@link dev.tallystick.Tallystick} is the way in, {@link dev.tallystick.JobHandle} follows one job,
 * {@link dev.tallystick.Submit} says under which key and when. Workflows are written against
 * {@link dev.tallystick.engine.Workflow} and {@link dev.tallystick.engine.Context}.
 *
 * <p>Invariant: what is submitted under one key happens once, however often and from wherever it is submitted.
 *
 * <p>Holds no logic of its own: it wires the modules below and maps their types to pleasant ones.
 */
@NullMarked
package dev.tallystick;

import org.jspecify.annotations.NullMarked;
