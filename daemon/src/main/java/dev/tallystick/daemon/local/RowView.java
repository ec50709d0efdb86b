package dev.tallystick.daemon.local;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.Payload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A row of the outbox as JSON. */
public final class RowView {

    private final Map<String, Json> members = new TreeMap<>();

    /** Without its content. */
    public static Json.ObjectValue summary(OutboxRow row) {
        return of(row).json();
    }

    /** With its content, and the rows that had or have the same. */
    static Json.ObjectValue whole(OutboxRow row, List<OutboxRow> chain) {
        RowView view = of(row).withContent(row);
        view.members.put(
                "chain",
                new Json.ArrayValue(chain.stream()
                        .<Json>map(each -> new Json.ObjectValue(Map.of(
                                "id", Json.of(each.id()),
                                "client_message_id", Json.of(each.key().value()),
                                "status", Json.of(each.state().word()))))
                        .toList()));
        return view.json();
    }

    /** With its content: for another outbox, or for people. */
    public static Json.ObjectValue exported(OutboxRow row) {
        return of(row).withContent(row).json();
    }

    private static RowView of(OutboxRow row) {
        RowView view = new RowView();
        view.members.put("position", Json.of(row.position()));
        view.members.put("attempts", Json.of(row.attempts()));
        view.text("id", row.id());
        view.text("client_message_id", row.key().value());
        view.text("request_fingerprint", row.fingerprint().hex());
        view.text("destination", row.to().toString());
        view.text("status", row.state().word());
        view.time("enqueued_at", row.enqueuedAt());
        view.time("first_attempt_at", row.firstAttemptAt());
        view.time("next_attempt_at", row.nextAttemptAt());
        view.text("last_error", row.lastError());
        view.time("delivered_at", row.deliveredAt());
        view.text("broker_message_id", row.brokerMessageId());
        view.text("history_id", row.historyId());
        view.time("aborted_at", row.abortedAt());
        view.text("aborted_by", row.abortedBy());
        view.text("superseded_by", row.supersededBy());
        if (row.isDamaged()) {
            view.members.put("damaged", Json.of(true));
        }
        return view;
    }

    private RowView withContent(OutboxRow row) {
        OutboxRow.Content content = row.content();
        if (content != null) {
            document("payload", content.payload());
            document("options", content.options());
            text("traceparent", content.traceParent());
        }
        return this;
    }

    private void document(String name, @Nullable String json) {
        if (json != null) {
            try {
                members.put(name, Json.parse(json, Payload.LIMITS));
            } catch (JsonRefused e) {
                text(name, json);
            }
        }
    }

    private void text(String name, @Nullable String value) {
        if (value != null) {
            members.put(name, Json.of(value));
        }
    }

    private void time(String name, @Nullable Instant moment) {
        if (moment != null) {
            members.put(name, Json.of(moment.toString()));
        }
    }

    private Json.ObjectValue json() {
        return new Json.ObjectValue(members);
    }

    private RowView() {}
}
