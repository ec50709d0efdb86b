package dev.tallystick.broker.webhook;

import dev.tallystick.core.Destination;
import java.net.URI;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An address that is called for every message to a source.
 *
 * @param source a topic, or the member itself; a workflow stands for the ends of its jobs
 * @param ended since when it is called for nothing new, because its topic was deleted; null if it is called
 */
public record Webhook(
        String id,
        String mesh,
        String member,
        Destination source,
        URI url,
        Instant created,
        @Nullable Instant ended) {}
