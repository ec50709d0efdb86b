package dev.tallystick;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Priority;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a job is submitted.
 *
 * @param key tells this submission from others, and a repeat from the first; null for a job that may as well be done twice
 * @param delay how long from now the job is not to begin
 */
public record Submit(@Nullable IdempotencyKey key, Priority priority, Duration delay) {

    public Submit {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay is not negative, got " + delay);
        }
    }

    /** Under this key. Submitting again under the same key gives the same job. */
    public static Submit key(String key) {
        return new Submit(new IdempotencyKey(key), Priority.DEFAULT, Duration.ZERO);
    }

    /** Under no key: every call makes a job. */
    public static Submit unkeyed() {
        return new Submit(null, Priority.DEFAULT, Duration.ZERO);
    }

    public Submit priority(Priority other) {
        return new Submit(key, other, delay);
    }

    public Submit after(Duration duration) {
        return new Submit(key, priority, duration);
    }
}
