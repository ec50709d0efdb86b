/**
 * Measures us, the floor and the peers side by side: interleaved in one run, on one Postgres, with the same settings.
 *
 * <p>Main types: {@link dev.tallystick.bench.Contender} is one thing that can be measured, {@link dev.tallystick.bench.Suite} a
 * list of them, {@link dev.tallystick.bench.Rounds} runs them.
 *
 * <p>Invariant: figures are compared only within a run, as ratios; machines are too noisy for anything else.
 */
@NullMarked
package dev.tallystick.bench;

import org.jspecify.annotations.NullMarked;
