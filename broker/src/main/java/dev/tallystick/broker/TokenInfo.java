package dev.tallystick.broker;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a token, which is not its secret.
 *
 * @param expires null if it does not
 * @param revoked since when it is worth nothing; null if it was not revoked
 */
public record TokenInfo(
        String id,
        String mesh,
        String member,
        Instant created,
        @Nullable Instant expires,
        @Nullable Instant revoked) {}
