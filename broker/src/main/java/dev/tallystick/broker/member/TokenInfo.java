package dev.tallystick.broker.member;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token without its secret.
 *
 * @param expires null if it does not expire
 * @param revoked when it was revoked; null if it was not
 */
public record TokenInfo(
        String id,
        String mesh,
        String member,
        Instant created,
        @Nullable Instant expires,
        @Nullable Instant revoked) {}
