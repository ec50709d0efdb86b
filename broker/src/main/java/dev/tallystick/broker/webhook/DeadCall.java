package dev.tallystick.broker.webhook;

import java.net.URI;
import java.time.Instant;
import java.util.UUID;

/**
 * An abandoned webhook call.
 *
 * @param member the owner of the webhook
 * @param error how the last attempt ended
 */
public record DeadCall(
        String webhook, String member, URI url, UUID message, int attempts, String error, Instant givenUp) {}
