package dev.tallystick.keys;

import dev.tallystick.core.Setting;
import java.time.Duration;
import java.util.Map;

/**
 * The limits of a {@link Gate}.
 *
 * @param pendingTtl how long a request that never ends blocks its repeats
 * @param committedTtl how long to remember the answer to a committed request
 * @param rejectedTtl how long to remember a rejection
 * @param maxEntries the maximum number of remembered and pending requests
 * @param cleanupInterval how often to remove expired entries
 * @param waitForPending whether a repeat waits for the original; if not, it is reported as in progress at once
 * @param pendingWait how long it waits
 */
public record GateSettings(
        Duration pendingTtl,
        Duration committedTtl,
        Duration rejectedTtl,
        int maxEntries,
        Duration cleanupInterval,
        boolean waitForPending,
        Duration pendingWait) {

    public static final String PENDING_TTL = "IDEMPOTENCY_PENDING_TTL_SECONDS";
    public static final String COMMITTED_TTL = "IDEMPOTENCY_COMMITTED_TTL_SECONDS";
    public static final String REJECTED_TTL = "IDEMPOTENCY_REJECTED_TTL_SECONDS";
    public static final String MAX_ENTRIES = "IDEMPOTENCY_MAX_ENTRIES";
    public static final String CLEANUP_INTERVAL = "IDEMPOTENCY_CLEANUP_INTERVAL_SECONDS";
    public static final String WAIT_FOR_PENDING = "IDEMPOTENCY_WAIT_FOR_PENDING";
    public static final String PENDING_WAIT = "IDEMPOTENCY_PENDING_WAIT_TIMEOUT";

    private static final Duration LONGEST = Duration.ofDays(1);
    private static final int MOST_ENTRIES = 10_000_000;

    public static final GateSettings DEFAULT = new GateSettings(
            Duration.ofSeconds(60),
            Duration.ofSeconds(300),
            Duration.ofSeconds(60),
            100_000,
            Duration.ofSeconds(10),
            true,
            Duration.ofSeconds(30));

    private static final double NANOS_A_SECOND = 1e9;

    public GateSettings {
        requireWithin(PENDING_TTL, pendingTtl);
        requireWithin(COMMITTED_TTL, committedTtl);
        requireWithin(REJECTED_TTL, rejectedTtl);
        requireWithin(CLEANUP_INTERVAL, cleanupInterval);
        requireWithin(PENDING_WAIT, pendingWait);
        if (maxEntries < 1 || maxEntries > MOST_ENTRIES) {
            throw new IllegalArgumentException(
                    MAX_ENTRIES + " must be between 1 and " + MOST_ENTRIES + ", got " + maxEntries);
        }
        if (pendingWait.compareTo(pendingTtl) > 0) {
            throw new IllegalArgumentException(PENDING_WAIT + " (" + seconds(pendingWait) + ") must be at most "
                    + PENDING_TTL + " (" + seconds(pendingTtl) + "): a request must not wait longer than that");
        }
    }

    /** From the settings, with the default for each missing one. */
    public static GateSettings from(Map<String, String> settings) {
        return new GateSettings(
                duration(settings, PENDING_TTL, DEFAULT.pendingTtl),
                duration(settings, COMMITTED_TTL, DEFAULT.committedTtl),
                duration(settings, REJECTED_TTL, DEFAULT.rejectedTtl),
                Setting.number(settings, MAX_ENTRIES, DEFAULT.maxEntries),
                duration(settings, CLEANUP_INTERVAL, DEFAULT.cleanupInterval),
                Setting.flag(settings, WAIT_FOR_PENDING, DEFAULT.waitForPending),
                duration(settings, PENDING_WAIT, DEFAULT.pendingWait));
    }

    private static void requireWithin(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be more than 0 and at most " + LONGEST.toSeconds()
                    + " seconds, got " + seconds(duration));
        }
    }

    private static Duration duration(Map<String, String> settings, String name, Duration otherwise) {
        String text = settings.get(name);
        if (text == null) {
            return otherwise;
        }
        double seconds;
        try {
            seconds = Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a number of seconds, got '" + text + "'", e);
        }
        if (!(seconds >= 0 && seconds <= LONGEST.toSeconds())) {
            throw new IllegalArgumentException(
                    name + " must be more than 0 and at most " + LONGEST.toSeconds() + " seconds, got '" + text + "'");
        }
        return Duration.ofNanos(Math.round(seconds * NANOS_A_SECOND));
    }

    private static String seconds(Duration duration) {
        return duration.toNanos() / NANOS_A_SECOND + " s";
    }
}
