package dev.tallystick.broker.member;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A machine that a member works from.
 *
 * @param rotated when its key was last replaced, or null
 * @param revoked when it was revoked, or null
 */
public record Device(
        String member,
        String name,
        DeviceKey key,
        Instant registered,
        @Nullable Instant rotated,
        @Nullable Instant revoked) {}
