package dev.tallystick.workflow;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Priority;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to run a job.
 *
 * @param version of the workflow; null for the newest registered version
 * @param key identifies it together with {@code fingerprint}; null if repeats need not be recognised
 * @param timeout how long the job may take from its start before it is ended; null for no limit
 * @param attributes to find the job by
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

    /** The attributes to find the job by. They are not part of the request that the key identifies. */
    public Submission attributes(List<Attribute> all) {
        return new Submission(mesh, workflow, version, input, key, fingerprint, priority, delay, timeout, all);
    }
}
