package dev.tallystick.client;

import dev.tallystick.core.Json;
import org.jspecify.annotations.Nullable;

/**
 * A success.
 *
 * @param body an object; empty if there was none
 */
public record Reply(int status, Json.ObjectValue body) {

    /** A member that is always there. */
    public String text(String name) {
        return fields().text(name);
    }

    public @Nullable Json member(String name) {
        return body.members().get(name);
    }

    public long number(String name) {
        return fields().number(name);
    }

    Fields fields() {
        return new Fields(body);
    }
}
