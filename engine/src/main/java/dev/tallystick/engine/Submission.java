package dev.tallystick.engine;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Priority;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that somebody wants done.
 *
 * @param version of the workflow; null for the newest that is registered
 * @param key under which it is submitted, together with {@code fingerprint}; null for one that need not be told from its repeats
 * @param timeout how long after its beginning the job must be done, or it is ended; null for as long as it takes
 * @param attributes what it can be found by
 */
public record Submission(
        String mesh,
        String workflow,
        @Nullable Integer version,
        byte[] input,
        @Nullable ScopedKey key,
        @Nullable Fingerprint fingerprint,
        Priority priority,
        Duration delay,
        @Nullable Duration timeout,
        List<Attribute> attributes) {

    /** A job of the newest version. */
    public Submission(
            String mesh,
            String workflow,
            byte[] input,
            @Nullable ScopedKey key,
            @Nullable Fingerprint fingerprint,
            Priority priority,
            Duration delay) {
        this(mesh, workflow, null, input, key, fingerprint, priority, delay, null, List.of());
    }

    public Submission {
        attributes = List.copyOf(attributes);
        if ((key == null) != (fingerprint == null)) {
            throw new IllegalArgumentException("a key comes with the fingerprint of what it stands for");
        }
        if (timeout != null && !timeout.isPositive()) {
            throw new IllegalArgumentException("a job needs some time, got " + timeout);
        }
    }

    public Submission version(int number) {
        return new Submission(mesh, workflow, number, input, key, fingerprint, priority, delay, timeout, attributes);
    }

    public Submission timeout(Duration most) {
        return new Submission(mesh, workflow, version, input, key, fingerprint, priority, delay, most, attributes);
    }

    /** What the job can be found by. It is no part of what the key stands for. */
    public Submission attributes(List<Attribute> all) {
        return new Submission(mesh, workflow, version, input, key, fingerprint, priority, delay, timeout, all);
    }
}
