package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.RecordBinding;
import dev.tallystick.core.api.RecordRefused;

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

    /** The body as a record of the API. */
    <T extends Record> T as(Class<T> type) {
        return read(body, type);
    }

    static <T extends Record> T read(Json body, Class<T> type) {
        try {
            return type.cast(RecordBinding.ofAnswer(type).read(body));
        } catch (RecordRefused e) {
            throw new ForeignAnswer(String.valueOf(e.getMessage()), e);
        }
    }
}
