package dev.tallystick.broker;

import java.net.URI;
import java.time.Instant;
import java.util.UUID;

/**
 * A call to a webhook that was given up.
 *
 * @param member whose webhook it is
 * @param error how the last attempt ended
 */
public record DeadCall(
        String webhook, String member, URI url, UUID message, int attempts, String error, Instant givenUp) {}
