package dev.tallystick.daemon.delivery;

import dev.tallystick.client.Messages;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.Payload;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns rows into what the client sends. */
final class Sending {

    /** Whether it is a job that only the route for jobs can take. */
    static boolean hasOptions(OutboxRow row) {
        return row.content() != null && row.content().options() != null;
    }

    static Messages.Keyed keyed(OutboxRow row) {
        return new Messages.Keyed(message(row), row.key(), content(row).traceParent());
    }

    static Messages.NewMessage message(OutboxRow row) {
        Map<String, Json> payload = Payload.members(content(row).payload());
        String replyTo = text(payload.get("reply_to"));
        return new Messages.NewMessage(
                row.to(),
                payload.getOrDefault("message", Json.ofNull()),
                priority(payload),
                payload.get("meta") instanceof Json.ObjectValue meta ? meta : new Json.ObjectValue(Map.of()),
                mentions(payload),
                replyTo == null ? null : UUID.fromString(replyTo));
    }

    static TallyClient.NewJob job(OutboxRow row) {
        Map<String, Json> payload = Payload.members(content(row).payload());
        String kept = content(row).options();
        Map<String, Json> options = kept == null ? Map.of() : Payload.members(kept);
        String notBefore = text(options.get("not_before"));
        Map<String, String> attributes = new TreeMap<>();
        if (options.get("attributes") instanceof Json.ObjectValue named) {
            named.members().forEach((name, value) -> attributes.put(name, String.valueOf(text(value))));
        }
        return new TallyClient.NewJob(
                row.to().reference(),
                payload.getOrDefault("message", Json.ofNull()),
                priority(payload),
                options.get("version") instanceof Json.NumberValue version ? (int) version.value() : null,
                notBefore == null ? null : Instant.parse(notBefore),
                attributes);
    }

    /** The trace in which the row was sent to the daemon. */
    static Context trace(OutboxRow row) {
        return W3CTraceContextPropagator.getInstance().extract(Context.root(), row, new Kept());
    }

    private record Kept() implements TextMapGetter<OutboxRow> {

        private static final String HEADER = "traceparent";

        @Override
        @SuppressWarnings("deprecation") // applications may hold us to an older OpenTelemetry, which asks for it
        public Iterable<String> keys(OutboxRow row) {
            return List.of(HEADER);
        }

        @Override
        public @Nullable String get(@Nullable OutboxRow row, String name) {
            return row != null && name.equals(HEADER) ? content(row).traceParent() : null;
        }
    }

    private static OutboxRow.Content content(OutboxRow row) {
        OutboxRow.Content content = row.content();
        if (content == null) {
            throw new IllegalStateException("the payload of row " + row.id() + " was dropped");
        }
        return content;
    }

    private static Priority priority(Map<String, Json> payload) {
        String word = text(payload.get("priority"));
        return word == null ? Priority.DEFAULT : Priority.parse(word);
    }

    private static List<String> mentions(Map<String, Json> payload) {
        return payload.get("mentions") instanceof Json.ArrayValue list
                ? list.elements().stream()
                        .map(each -> String.valueOf(text(each)))
                        .toList()
                : List.of();
    }

    private static @Nullable String text(@Nullable Json value) {
        return value instanceof Json.StringValue text ? text.value() : null;
    }

    private Sending() {}
}
