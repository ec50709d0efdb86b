package dev.tallystick.broker;

import dev.tallystick.core.Envelope;
import dev.tallystick.core.IdempotencyKey;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as it was accepted.
 *
 * @param key under which its sender submitted it; null for what the system itself announces
 */
public record Message(
        UUID id,
        String mesh,
        String sender,
        @Nullable IdempotencyKey key,
        Envelope envelope,
        Instant acceptedAt,
        @Nullable String traceParent) {}
