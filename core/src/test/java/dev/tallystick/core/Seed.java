package dev.tallystick.core;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The seed of a generated test. Print it with every failure; {@code -Dtally.seed=N} runs the same values again.
 */
public record Seed(long value) {

    /** A fixed seed by default, so that a build that passed passes again. */
    public static Seed orDefault(long value) {
        return new Seed(Long.getLong("tally.seed", value));
    }

    public RandomGenerator random() {
        return new SplittableRandom(value);
    }

    @Override
    public String toString() {
        return "-Dtally.seed=" + value;
    }
}
