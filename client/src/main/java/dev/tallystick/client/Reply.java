package dev.tallystick.client;

import dev.tallystick.core.Json;

/**
 * A server's answer, as it was sent.
 *
 * @param status the HTTP status of a success
 * @param body an object; empty if there was none
 */
public record Reply(int status, Json.ObjectValue body) {

    Fields fields() {
        return new Fields(body);
    }
}
