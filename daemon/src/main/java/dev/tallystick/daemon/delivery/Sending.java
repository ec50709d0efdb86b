package dev.tallystick.daemon.delivery;

import dev.tallystick.client.Messages;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.api.MessageApi.SendMessage;
import dev.tallystick.daemon.outbox.JobOptions;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.Payload;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import java.util.Map;
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
        SendMessage kept = Payload.message(content(row).payload());
        return new Messages.NewMessage(
                row.to(),
                kept.message(),
                priority(kept),
                kept.meta() == null ? new Json.ObjectValue(Map.of()) : kept.meta(),
                kept.mentions() == null ? List.of() : kept.mentions(),
                kept.replyTo());
    }

    static TallyClient.NewJob job(OutboxRow row) {
        SendMessage kept = Payload.message(content(row).payload());
        JobOptions options = JobOptions.in(content(row).options());
        return new TallyClient.NewJob(
                row.to().reference(),
                kept.message(),
                priority(kept),
                options.version(),
                options.notBefore(),
                options.attributes());
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

    private static Priority priority(SendMessage kept) {
        return kept.priority() == null ? Priority.DEFAULT : kept.priority();
    }

    private Sending() {}
}
