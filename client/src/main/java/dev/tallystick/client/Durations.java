package dev.tallystick.client;

import java.time.Duration;

/** Times as callers give them, as far as clocks and servers can count them. */
final class Durations {

    /** Nearly three hundred years fit into a clock's nanoseconds; half of that can be added to any moment. */
    private static final long MOST_NANOS = Long.MAX_VALUE / 2;

    private static final Duration MOST = Duration.ofNanos(MOST_NANOS);

    /** Never overflows: what is longer than a clock can count is as long as it can count. */
    static long nanos(Duration time) {
        return bounded(time).toNanos();
    }

    /** At most as much as {@link #nanos} can count. */
    static Duration bounded(Duration time) {
        return time.compareTo(MOST) < 0 ? time : MOST;
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Rounded up, for servers count whole seconds and a part of one is more than none. */
    static long wholeSeconds(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a time of " + time + " is negative");
        }
        Duration bounded = bounded(time);
        return bounded.toNanosPart() == 0 ? bounded.toSeconds() : bounded.toSeconds() + 1;
    }

    private Durations() {}
}
