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
        if (body.members().get(name) instanceof Json.StringValue text) {
            return text.value();
        }
        throw new IllegalStateException("the server's answer has no text '" + name + "'");
    }

    public @Nullable Json member(String name) {
        return body.members().get(name);
    }

    boolean flag(String name) {
        return body.members().get(name) instanceof Json.BooleanValue flag && flag.value();
    }

    public long number(String name) {
        if (body.members().get(name) instanceof Json.NumberValue number) {
            return (long) number.value();
        }
        throw new IllegalStateException("the server's answer has no number '" + name + "'");
    }
}
