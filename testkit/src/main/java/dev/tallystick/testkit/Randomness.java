package dev.tallystick.testkit;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Reproducible randomness: everything follows from one seed. The seed is new on every run, part of every failure (see
 * {@link Seeded} and {@link #repeat}), and fixed with {@code -Dtally.seed=}.
 *
 * <p>Not thread-safe: give each thread its own {@link #split()}, so that its values do not depend on the timing of others.
 */
public final class Randomness implements RandomGenerator {

    static final String PROPERTY = "tally.seed";

    private final long seed;
    private final SplittableRandom source;

    private Randomness(long seed, SplittableRandom source) {
        this.seed = seed;
        this.source = source;
    }

    /** From the seed in {@code -Dtally.seed=}, or from a new one. */
    public static Randomness fresh() {
        String fixed = System.getProperty(PROPERTY);
        return ofSeed(fixed == null ? new SecureRandom().nextLong() : Long.parseLong(fixed));
    }

    public static Randomness ofSeed(long seed) {
        return new Randomness(seed, new SplittableRandom(seed));
    }

    /** A check that draws its own inputs. */
    @FunctionalInterface
    public interface Check {
        void run(Randomness random) throws Exception;
    }

    /**
     * Runs a check many times, each with its own seed. A failure names the seed of the failed run, and {@code -Dtally.seed=}
     * with that seed makes it the first run.
     */
    public static void repeat(int times, Check check) {
        Randomness seeds = fresh();
        for (int run = 0; run < times; run++) {
            Randomness random = ofSeed(run == 0 ? seeds.seed() : seeds.nextLong());
            try {
                check.run(random);
            } catch (Throwable failure) {
                throw random.named(failure);
            }
        }
    }

    /** The same failure, with the seed in its message. */
    AssertionError named(Throwable failure) {
        String message = failure instanceof AssertionError ? failure.getMessage() : failure.toString();
        AssertionError named = new AssertionError(
                "%s\nseed=%d (repeat with -D%s=%d)".formatted(message, seed, PROPERTY, seed), failure);
        named.setStackTrace(failure.getStackTrace());
        return named;
    }

    public long seed() {
        return seed;
    }

    /** An independent source for another thread or part, derived from this one. It reports this one's seed. */
    public Randomness split() {
        return new Randomness(seed, source.split());
    }

    @Override
    public long nextLong() {
        return source.nextLong();
    }

    /** An integer between the two, both inclusive; the two ends are more likely than the rest. */
    public int between(int lowest, int highest) {
        if (chance(0.1)) {
            return nextBoolean() ? lowest : highest;
        }
        return (int) source.nextLong(lowest, highest + 1L);
    }

    public boolean chance(double probability) {
        return source.nextDouble() < probability;
    }

    @SafeVarargs
    public final <T> T oneOf(T first, T... others) {
        int drawn = source.nextInt(others.length + 1);
        return drawn == 0 ? first : others[drawn - 1];
    }

    public <T> T oneOf(List<T> choices) {
        return choices.get(source.nextInt(choices.size()));
    }

    /** One of the keys, with the probability of its weight. The order is part of it: without one, a seed brings nothing back. */
    public <T> T weighted(SequencedMap<T, Integer> weights) {
        int left = source.nextInt(
                weights.values().stream().mapToInt(Integer::intValue).sum());
        for (Map.Entry<T, Integer> choice : weights.entrySet()) {
            left -= choice.getValue();
            if (left < 0) {
                return choice.getKey();
            }
        }
        throw new IllegalArgumentException("weights must be positive: " + weights);
    }

    /** A list with at most this many elements, sometimes empty. */
    public <T> List<T> listOf(int atMost, Function<? super Randomness, ? extends T> element) {
        int size = between(0, atMost);
        List<T> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(element.apply(this));
        }
        return list;
    }

    public <T> List<T> shuffled(Collection<? extends T> elements) {
        List<T> shuffled = new ArrayList<>(elements);
        Collections.shuffle(shuffled, Random.from(source));
        return shuffled;
    }

    /** Letters and digits only. */
    public String word(int atMost) {
        return text(atMost, Alphabet.WORD);
    }

    /** Well-formed text that Postgres stores unchanged, with every difficulty of Unicode; at most this many code points. */
    public String text(int atMost) {
        return text(atMost, Alphabet.STORABLE);
    }

    /** Text with a NUL, which Postgres refuses, or a lone surrogate, which cannot be encoded. */
    public String brokenText(int atMost) {
        int half = (atMost - 1) / 2;
        return text(half) + oneOf("\0", "\uD800", "\uDFFF") + text(half);
    }

    /** This many letters and digits, which cannot be compressed. */
    public String noise(int length) {
        return exactly(length, Alphabet.WORD);
    }

    private String text(int atMost, Alphabet alphabet) {
        return exactly(between(0, atMost), alphabet);
    }

    private String exactly(int length, Alphabet alphabet) {
        StringBuilder text = new StringBuilder();
        for (int left = length; left > 0; left--) {
            text.appendCodePoint(alphabet.draw(this));
        }
        return text.toString();
    }
}
