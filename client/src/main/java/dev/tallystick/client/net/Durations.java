package dev.tallystick.client.net;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Durations from callers, limited to what clocks and servers can count. */
public final class Durations {

    /** Nearly three hundred years fit into a clock's nanoseconds; half of that can be added to any moment. */
    private static final long MOST_NANOS = Long.MAX_VALUE / 2;

    private static final Duration MOST = Duration.ofNanos(MOST_NANOS);

    /** Never overflows: durations beyond the clock's range become its maximum. */
    public static long nanos(Duration time) {
        return bounded(time).toNanos();
    }

    /** At most the maximum of {@link #nanos}. */
    public static Duration bounded(Duration time) {
        return time.compareTo(MOST) < 0 ? time : MOST;
    }

    public static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    public static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Rounded up, because servers count whole seconds and a fraction is more than none. */
    public static long wholeSeconds(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a time of " + time + " is negative");
        }
        Duration bounded = bounded(time);
        return bounded.toNanosPart() == 0 ? bounded.toSeconds() : bounded.toSeconds() + 1;
    }

    /** As {@link #wholeSeconds}; null for none. */
    public static @Nullable Integer secondsOrNull(@Nullable Duration time) {
        if (time == null) {
            return null;
        }
        long seconds = wholeSeconds(time);
        if (seconds > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a time of " + time + " is longer than a server can count");
        }
        return (int) seconds;
    }

    private Durations() {}
}
