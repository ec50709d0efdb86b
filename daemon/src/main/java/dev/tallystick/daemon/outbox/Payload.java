package dev.tallystick.daemon.outbox;

import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.Priority;
import dev.tallystick.core.api.MessageApi.SendMessage;
import dev.tallystick.core.api.RecordBinding;
import java.util.Map;
import java.util.TreeMap;

/** The form in which an envelope is kept: the members of {@code POST /v1/messages}, without those that say nothing. */
public final class Payload {

    /** Payloads are checked when they are accepted; these only bound what a damaged file can do. */
    public static final JsonLimits LIMITS = new JsonLimits(64 * 1024 * 1024, JsonLimits.DEFAULT.depth());

    static String of(Envelope envelope) {
        Map<String, Json> members = new TreeMap<>();
        members.put("to", Json.of(envelope.to().toString()));
        members.put(
                "message",
                switch (envelope.body()) {
                    case Envelope.Body.Text text -> Json.of(text.text());
                    case Envelope.Body.Document document -> document.json();
                });
        if (envelope.priority() != Priority.DEFAULT) {
            members.put("priority", Json.of(envelope.priority().word()));
        }
        if (!envelope.meta().members().isEmpty()) {
            members.put("meta", envelope.meta());
        }
        if (!envelope.mentions().isEmpty()) {
            members.put(
                    "mentions",
                    new Json.ArrayValue(
                            envelope.mentions().stream().<Json>map(Json::of).toList()));
        }
        String replyTo = envelope.replyTo();
        if (replyTo != null) {
            members.put("reply_to", Json.of(replyTo));
        }
        return new Json.ObjectValue(members).canonical();
    }

    /** A kept payload. */
    public static SendMessage message(String payload) {
        return (SendMessage) RecordBinding.ofAnswer(SendMessage.class).read(Json.parse(payload, LIMITS));
    }

    private Payload() {}
}
