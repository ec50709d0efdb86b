package dev.tallystick;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Priority;
import dev.tallystick.workflow.Attribute;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a job is submitted.
 *
 * @param key distinguishes this submission from others; a repeat reuses it; null for a job that may run twice
 * @param delay how long from now the job must not begin
 * @param notBefore the earliest time at which the job may begin; null for at once
 * @param version of the workflow; null for the newest registered version
 * @param timeout how long the job may take from its start before it is ended; null for no limit
 * @param attributes to find the job by
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

    /** Submits under this key. Submitting again under the same key gives the same job. */
    public static Submit key(String key) {
        return new Submit(new IdempotencyKey(key), Priority.DEFAULT, Duration.ZERO, null, null, null, List.of());
    }

    /** Submits without a key: every call creates a job. */
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

    /**
     * Submits this version, which must be registered here. The version is not part of the job's identity; {@link #key} and
     * input are.
     */
    public Submit version(int number) {
        return new Submit(key, priority, delay, notBefore, number, timeout, attributes);
    }

    /** Ends the job, with its children, if it is not done this long after it may begin. */
    public Submit timeout(Duration duration) {
        return new Submit(key, priority, delay, notBefore, version, duration, attributes);
    }

    /** Makes the job findable by this attribute: see {@link Tallystick#jobs}. */
    public Submit attribute(String name, String value) {
        List<Attribute> all = new ArrayList<>(attributes);
        all.add(new Attribute(name, value));
        return new Submit(key, priority, delay, notBefore, version, timeout, all);
    }

    /** A job with this input, to be submitted together with others: see {@link Tallystick#submitAll}. */
    public Request with(@Nullable Object input) {
        return new Request(this, input);
    }

    /** How long the job must not begin; reads the clock only if necessary. */
    Duration delayFrom(InstantSource clock) {
        if (notBefore == null) {
            return delay;
        }
        Duration left = Duration.between(clock.instant(), notBefore);
        return left.compareTo(delay) > 0 ? left : delay;
    }
}
