package dev.tallystick.broker.webhook;

import dev.tallystick.broker.model.Message;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import java.util.Map;
import java.util.TreeMap;

/** A message as sent to webhooks. */
final class WebhookBody {

    static Json of(Message message) {
        Envelope envelope = message.envelope();
        Map<String, Json> members = new TreeMap<>();
        members.put("message_id", Json.of(message.id().toString()));
        members.put("mesh", Json.of(message.mesh()));
        members.put("from", Json.of(message.sender()));
        members.put("to", Json.of(envelope.to().toString()));
        members.put("priority", Json.of(envelope.priority().word()));
        members.put("accepted_at", Json.of(message.acceptedAt().toString()));
        members.put(
                "mentions",
                new Json.ArrayValue(
                        envelope.mentions().stream().<Json>map(Json::of).toList()));
        members.put("meta", envelope.meta());
        if (envelope.replyTo() != null) {
            members.put("reply_to", Json.of(envelope.replyTo()));
        }
        members.put(
                "message",
                switch (envelope.body()) {
                    case Envelope.Body.Text text -> Json.of(text.text());
                    case Envelope.Body.Document document -> document.json();
                });
        return new Json.ObjectValue(members);
    }

    private WebhookBody() {}
}
