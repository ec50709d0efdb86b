package dev.tallystick.daemon.delivery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a row may be repeated after its first attempt: strictly less than the time for which the server recognises the
 * repeat.
 */
public final class MaximumAge {

    /** A server that remembers keys for a shorter time cannot keep the daemon's promise. */
    public static final int LEAST_RETENTION_DAYS = 7;

    private static final int HOURS_A_DAY = 24;

    /**
     * The maximum age for a server that remembers keys for so many days.
     *
     * @param override the operator's choice; null for the default, which leaves a tenth of the time as a margin, and at least
     *     a day
     * @throws IllegalArgumentException if the override leaves less than a day, or the server remembers too little
     */
    public static Duration of(int retentionDays, @Nullable Duration override) {
        if (retentionDays < LEAST_RETENTION_DAYS) {
            throw new IllegalArgumentException("the server remembers keys for %d days, and the daemon needs %d"
                    .formatted(retentionDays, LEAST_RETENTION_DAYS));
        }
        long hours = (long) HOURS_A_DAY * retentionDays;
        if (override == null) {
            return Duration.ofHours(hours - Math.max(HOURS_A_DAY, (hours + 9) / 10));
        }
        Duration most = Duration.ofHours(hours - HOURS_A_DAY);
        if (override.compareTo(most) > 0 || !override.isPositive()) {
            throw new IllegalArgumentException(
                    "the maximum age must be positive and at most %d hours, because the server remembers keys for %d days"
                            .formatted(most.toHours(), retentionDays));
        }
        return override;
    }

    private MaximumAge() {}
}
