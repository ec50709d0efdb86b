package dev.tallystick.broker.model;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.sql.Tx;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Maps an envelope to the columns of the message table. */
public final class MessageColumns {

    /** For a statement that aliases the message table as m. */
    public static final String SELECTED = """
            m.id, m.mesh, m.sender, m.key, m.destination, m.reply_to, m.priority, m.meta, m.mentions,
                m.body_kind, m.body, m.traceparent, m.accepted_at\
            """;

    private static final String TEXT = "text";
    private static final String JSON = "json";

    public static String meta(Envelope envelope) {
        return envelope.meta().members().isEmpty() ? "" : envelope.meta().canonical();
    }

    public static String mentions(Envelope envelope) {
        return String.join(",", envelope.mentions());
    }

    public static String bodyKind(Envelope envelope) {
        return envelope.body() instanceof Envelope.Body.Text ? TEXT : JSON;
    }

    public static Message read(ResultSet row) throws SQLException {
        String key = row.getString("key");
        return new Message(
                row.getObject("id", UUID.class),
                row.getString("mesh"),
                row.getString("sender"),
                key == null ? null : new IdempotencyKey(key),
                envelope(row),
                Objects.requireNonNull(Tx.instant(row, "accepted_at")),
                row.getString("traceparent"));
    }

    private static Envelope envelope(ResultSet row) throws SQLException {
        String meta = row.getString("meta");
        String mentions = row.getString("mentions");
        return new Envelope(
                Destination.parse(row.getString("destination")),
                row.getString("reply_to"),
                priority(row.getInt("priority")),
                meta.isEmpty() ? new Json.ObjectValue(Map.of()) : (Json.ObjectValue) Json.parse(meta),
                mentions.isEmpty() ? List.of() : List.of(mentions.split(",", -1)),
                body(row.getString("body_kind"), row.getBytes("body")));
    }

    private static Priority priority(int turn) {
        for (Priority priority : Priority.values()) {
            if (priority.turn() == turn) {
                return priority;
            }
        }
        throw new IllegalStateException("no priority has turn " + turn);
    }

    private static Envelope.Body body(String kind, byte[] bytes) {
        return kind.equals(TEXT)
                ? new Envelope.Body.Text(new String(bytes, StandardCharsets.UTF_8))
                : new Envelope.Body.Document(Json.parse(bytes));
    }

    private MessageColumns() {}
}
