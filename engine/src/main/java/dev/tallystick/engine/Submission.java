package dev.tallystick.engine;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Priority;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A job that somebody wants done.
 *
 * @param version of the workflow; null for the newest that is registered
 * @param key under which it is submitted, together with {@code fingerprint}; null for one that need not be told from its repeats
 */
public record Submission(
        String mesh,
        String workflow,
        @Nullable Integer version,
        byte[] input,
        @Nullable ScopedKey key,
        @Nullable Fingerprint fingerprint,
        Priority priority,
        Duration delay) {

    /** A job of the newest version. */
    public Submission(
            String mesh,
            String workflow,
            byte[] input,
            @Nullable ScopedKey key,
            @Nullable Fingerprint fingerprint,
            Priority priority,
            Duration delay) {
        this(mesh, workflow, null, input, key, fingerprint, priority, delay);
    }

    public Submission {
        if ((key == null) != (fingerprint == null)) {
            throw new IllegalArgumentException("a key comes with the fingerprint of what it stands for");
        }
    }
}
