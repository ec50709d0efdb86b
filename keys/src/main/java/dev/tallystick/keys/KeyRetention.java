package dev.tallystick.keys;

import java.time.Duration;
import java.util.Map;

/**
 * How long to remember a key after its answer is final and its job, if any, has ended. It must outlast the retries of every
 * client: a request that is repeated after its key was forgotten runs again.
 */
public record KeyRetention(int days) {

    public static final String SETTING = "TALLY_KEY_RETENTION_DAYS";

    public static final int MIN_DAYS = 7;
    public static final int MAX_DAYS = 36_500;

    public static final KeyRetention DEFAULT = new KeyRetention(365);

    public KeyRetention {
        if (days < MIN_DAYS || days > MAX_DAYS) {
            throw new IllegalArgumentException(
                    SETTING + " must be between " + MIN_DAYS + " and " + MAX_DAYS + " days, got " + days);
        }
    }

    /** From the settings, or the default. */
    public static KeyRetention from(Map<String, String> settings) {
        String text = settings.get(SETTING);
        return text == null ? DEFAULT : parse(text);
    }

    public static KeyRetention parse(String text) {
        try {
            return new KeyRetention(Integer.parseInt(text.strip()));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(SETTING + " must be a whole number of days, got '" + text + "'", e);
        }
    }

    /** Days of 24 hours, regardless of time zones: clients count their retry windows in hours. */
    public Duration duration() {
        return Duration.ofDays(days);
    }

    int hours() {
        return Math.toIntExact(duration().toHours());
    }
}
