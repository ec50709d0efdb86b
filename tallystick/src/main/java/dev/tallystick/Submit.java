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
 * @param version of the workflow; null for the newest that is registered
 * @param timeout how long after its beginning the job must be done, or it is ended; null for as long as it takes
 */
public record Submit(
        @Nullable IdempotencyKey key,
        Priority priority,
        Duration delay,
        @Nullable Integer version,
        @Nullable Duration timeout) {

    public Submit {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay is not negative, got " + delay);
        }
    }

    /** Under this key. Submitting again under the same key gives the same job. */
    public static Submit key(String key) {
        return new Submit(new IdempotencyKey(key), Priority.DEFAULT, Duration.ZERO, null, null);
    }

    /** Under no key: every call makes a job. */
    public static Submit unkeyed() {
        return new Submit(null, Priority.DEFAULT, Duration.ZERO, null, null);
    }

    public Submit priority(Priority other) {
        return new Submit(key, other, delay, version, timeout);
    }

    public Submit after(Duration duration) {
        return new Submit(key, priority, duration, version, timeout);
    }

    /** Of this version, which must be registered here; {@link #key} and input are what tells the job from others, not this. */
    public Submit version(int number) {
        return new Submit(key, priority, delay, number, timeout);
    }

    /** If the job is not done this long after it may begin, it is ended, with its children. */
    public Submit timeout(Duration duration) {
        return new Submit(key, priority, delay, version, duration);
    }
}
