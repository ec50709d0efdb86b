package dev.tallystick.broker.member;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A machine that a member works from.
 *
 * @param previous the key that it had before, while that still names it; otherwise null
 * @param host the machine it was registered on, or null if it did not say
 * @param rotated when its key was last replaced, or null
 * @param revoked when it was revoked, or null
 */
public record Device(
        String member,
        String name,
        DeviceKey key,
        @Nullable PreviousKey previous,
        @Nullable HostFingerprint host,
        Instant registered,
        @Nullable Instant rotated,
        @Nullable Instant revoked) {

    /** A key that was replaced, and the moment from which it no longer counts. */
    public record PreviousKey(DeviceKey key, Instant until) {}

    /** Whether the key names this device now. */
    boolean hasKey(DeviceKey other) {
        return key.equals(other) || (previous != null && previous.key().equals(other));
    }
}
