package dev.tallystick;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.Attribute;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a job is submitted.
 *
 * @param key tells this submission from others, and a repeat from the first; null for a job that may as well be done twice
 * @param delay how long from now the job is not to begin
 * @param notBefore when the job may begin at the earliest; null for at once
 * @param version of the workflow; null for the newest that is registered
 * @param timeout how long after its beginning the job must be done, or it is ended; null for as long as it takes
 * @param attributes what the job can be found by
 */
public record Submit(
        @Nullable IdempotencyKey key,
        Priority priority,
        Duration delay,
        @Nullable Instant notBefore,
        @Nullable Integer version,
        @Nullable Duration timeout,
        List<Attribute> attributes) {

    public Submit {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay is not negative, got " + delay);
        }
        attributes = List.copyOf(attributes);
    }

    /** Under this key. Submitting again under the same key gives the same job. */
    public static Submit key(String key) {
        return new Submit(new IdempotencyKey(key), Priority.DEFAULT, Duration.ZERO, null, null, null, List.of());
    }

    /** Under no key: every call makes a job. */
    public static Submit unkeyed() {
        return new Submit(null, Priority.DEFAULT, Duration.ZERO, null, null, null, List.of());
    }

    public Submit priority(Priority other) {
        return new Submit(key, other, delay, notBefore, version, timeout, attributes);
    }

    public Submit after(Duration duration) {
        return new Submit(key, priority, duration, notBefore, version, timeout, attributes);
    }

    public Submit notBefore(Instant time) {
        return new Submit(key, priority, delay, time, version, timeout, attributes);
    }

    /** Of this version, which must be registered here; {@link #key} and input are what tells the job from others, not this. */
    public Submit version(int number) {
        return new Submit(key, priority, delay, notBefore, number, timeout, attributes);
    }

    /** If the job is not done this long after it may begin, it is ended, with its children. */
    public Submit timeout(Duration duration) {
        return new Submit(key, priority, delay, notBefore, version, duration, attributes);
    }

    /** The job can be found by this: see {@link Tallystick#jobs}. */
    public Submit attribute(String name, String value) {
        List<Attribute> all = new ArrayList<>(attributes);
        all.add(new Attribute(name, value));
        return new Submit(key, priority, delay, notBefore, version, timeout, all);
    }

    /** A job with this input, to be submitted so together with others: see {@link Tallystick#submitAll}. */
    public Request with(@Nullable Object input) {
        return new Request(this, input);
    }

    /** How long the job is not to begin, by a clock that is asked only if it matters. */
    Duration delayFrom(InstantSource clock) {
        if (notBefore == null) {
            return delay;
        }
        Duration left = Duration.between(clock.instant(), notBefore);
        return left.compareTo(delay) > 0 ? left : delay;
    }
}
