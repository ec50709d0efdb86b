package dev.tallystick.workflow;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a workflow run at once, and how many start within a period: in total, or per key.
 *
 * <p>A job counts as running while a process is running it. A job that sleeps, or waits for a signal, a child or a person, does
 * not count; nor does a job whose process has died, once its lease has expired.
 *
 * @param key computes the key of a job from its input
 * @param concurrency the maximum number running at once
 * @param starts the maximum number of starts within any period of length {@code per}
 */
public record Limit<I extends @Nullable Object>(
        Function<? super I, String> key, int concurrency, int starts, Duration per) {

    public static final int LARGEST_RATE = 1_000;
    public static final Duration LONGEST_PERIOD = Duration.ofDays(1);
    public static final int LONGEST_KEY = 200;

    public static final int NO_LIMIT = Integer.MAX_VALUE;

    public Limit {
        check(concurrency, starts, per);
    }

    public static void check(int concurrency, int starts, Duration per) {
        if (concurrency < 1 || starts < 1 || !per.isPositive()) {
            throw new IllegalArgumentException("a limit lets at least one job through");
        }
        if (starts != NO_LIMIT && starts > LARGEST_RATE) {
            throw new IllegalArgumentException(
                    "a rate counts up to " + LARGEST_RATE + " jobs, got " + starts + "; say it for a shorter time");
        }
        if (per.compareTo(LONGEST_PERIOD) > 0) {
            throw new IllegalArgumentException("a rate looks back over " + LONGEST_PERIOD + " at most, got " + per);
        }
    }

    /** Limits each key separately. */
    public static <I extends @Nullable Object> Limit<I> per(Function<? super I, String> key) {
        return new Limit<>(key, NO_LIMIT, NO_LIMIT, Duration.ofSeconds(1));
    }

    /** Limits all jobs of the workflow together. */
    public static <I extends @Nullable Object> Limit<I> overall() {
        return per(input -> "");
    }

    /** The maximum number running at once. */
    public Limit<I> concurrency(int most) {
        return new Limit<>(key, most, starts, per);
    }

    /** The maximum number of starts within any {@code period}. */
    public Limit<I> rate(int most, Duration period) {
        return new Limit<>(key, concurrency, most, period);
    }

    public String keyOf(I input) {
        return checkKey(key.apply(input));
    }

    public static String checkKey(@Nullable String found) {
        if (found == null || found.length() > LONGEST_KEY || found.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the key of a limit has up to " + LONGEST_KEY
                    + " characters and no NUL, got " + (found == null ? "null" : found.length() + " characters"));
        }
        return found;
    }
}
