package dev.tallystick.workflow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How often a step is tried, and how long it waits between attempts.
 *
 * @param attempts the total number, including the first
 * @param first the wait before the second attempt; each later wait is twice as long
 * @param longest the maximum wait
 * @param jitter the random share of a wait, so that steps that failed together do not retry together
 * @param never failures that are final at once
 * @param timeout how long one attempt may take before it is interrupted; null for no limit
 */
public record Retry(
        int attempts,
        Duration first,
        Duration longest,
        double jitter,
        List<Class<? extends Throwable>> never,
        @Nullable Duration timeout) {

    public static final Retry DEFAULT =
            new Retry(5, Duration.ofSeconds(1), Duration.ofMinutes(5), 0.2, List.of(), null);

    public static final Retry NONE = DEFAULT.attempts(1);

    public Retry {
        if (attempts < 1 || jitter < 0 || jitter > 1 || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "a retry has one attempt or more, waits that do not shrink, and a jitter between 0 and 1");
        }
        if (timeout != null && !timeout.isPositive()) {
            throw new IllegalArgumentException("an attempt needs some time, got " + timeout);
        }
        never = List.copyOf(never);
    }

    public Retry attempts(int number) {
        return new Retry(number, first, longest, jitter, never, timeout);
    }

    public Retry waiting(Duration shortest, Duration most) {
        return new Retry(attempts, shortest, most, jitter, never, timeout);
    }

    /** Makes this failure final at once, too. */
    public Retry never(Class<? extends Throwable> failure) {
        List<Class<? extends Throwable>> all = new ArrayList<>(never);
        all.add(failure);
        return new Retry(attempts, first, longest, jitter, all, timeout);
    }

    /** Interrupts and fails an attempt that takes longer than this. */
    public Retry timeout(Duration most) {
        return new Retry(attempts, first, longest, jitter, never, most);
    }

    public boolean allows(int attempt, Throwable failure) {
        return attempt < attempts && never.stream().noneMatch(type -> type.isInstance(failure));
    }

    /** The wait after the given attempt failed. */
    public Duration after(int attempt, RandomGenerator random) {
        double bound = Math.min((double) first.toNanos() * Math.pow(2, attempt - 1.0), (double) longest.toNanos());
        return Duration.ofNanos((long) (bound * (1 - jitter * random.nextDouble())));
    }
}
