package dev.tallystick.broker.model;

import dev.tallystick.core.Envelope;
import dev.tallystick.core.IdempotencyKey;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An accepted message.
 *
 * @param key the key that its sender submitted it under; null for the system's own announcements
 */
public record Message(
        UUID id,
        String mesh,
        String sender,
        @Nullable IdempotencyKey key,
        Envelope envelope,
        Instant acceptedAt,
        @Nullable String traceParent) {}
