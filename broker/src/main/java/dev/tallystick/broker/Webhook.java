package dev.tallystick.broker;

import dev.tallystick.core.Destination;
import java.net.URI;
import java.time.Instant;

/**
 * An address that is called for every message to a source.
 *
 * @param source a topic, or the member itself; a workflow means the ends of its jobs
 */
public record Webhook(String id, String mesh, String member, Destination source, URI url, Instant created) {}
