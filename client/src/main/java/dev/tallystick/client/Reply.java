package dev.tallystick.client;

import dev.tallystick.core.Json;

/**
 * What a server answered, in its own words.
 *
 * @param status of HTTP; a success
 * @param body an object; empty if there was none
 */
public record Reply(int status, Json.ObjectValue body) {

    Fields fields() {
        return new Fields(body);
    }
}
