package dev.tallystick.core;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The seed of a generated test. Print it with every failure; {@code -Dtally.seed=N} runs the same values again.
 */
record Seed(long value) {

    /** A fixed seed by default, so that a build that passed passes again. */
    static Seed orDefault(long value) {
        return new Seed(Long.getLong("tally.seed", value));
    }

    RandomGenerator random() {
        return new SplittableRandom(value);
    }

    @Override
    public String toString() {
        return "-Dtally.seed=" + value;
    }
}
