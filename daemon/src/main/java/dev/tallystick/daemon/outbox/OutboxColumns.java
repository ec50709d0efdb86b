package dev.tallystick.daemon.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads a row of the outbox, and notices when it is not what was accepted. */
final class OutboxColumns {

    /** Stands for what can no longer be read. */
    private static final IdempotencyKey UNREADABLE_KEY = new IdempotencyKey("unreadable");

    private static final Destination UNREADABLE_DESTINATION = new Destination(Destination.Kind.QUEUE, "unreadable");

    private static final Fingerprint UNREADABLE_FINGERPRINT = new Fingerprint("0".repeat(64));

    static OutboxRow row(ResultSet result) throws SQLException {
        IdempotencyKey key = read(IdempotencyKey::new, result.getString("client_message_id"), UNREADABLE_KEY);
        Fingerprint fingerprint = read(Fingerprint::of, result.getBytes("request_fingerprint"), UNREADABLE_FINGERPRINT);
        Destination to = read(Destination::parse, result.getString("destination"), UNREADABLE_DESTINATION);
        String payload = text(result.getBytes("payload"));
        boolean isDropped = instant(result, "payload_dropped_at") != null;
        OutboxRow.Content content = isDropped
                ? null
                : new OutboxRow.Content(
                        payload == null ? "" : payload, result.getString("options"), result.getString("traceparent"));
        return new OutboxRow(
                result.getLong("position"),
                result.getString("id"),
                key,
                fingerprint,
                to,
                content,
                OutboxState.parse(result.getString("status")),
                Instant.ofEpochMilli(result.getLong("enqueued_at")),
                result.getInt("attempts"),
                instant(result, "first_attempt_at"),
                Instant.ofEpochMilli(result.getLong("next_attempt_at")),
                result.getString("last_error"),
                instant(result, "delivered_at"),
                result.getString("broker_message_id"),
                result.getString("history_id"),
                instant(result, "aborted_at"),
                result.getString("aborted_by"),
                result.getString("superseded_by"),
                content != null
                        && (payload == null
                                || OutboxStore.checksum(key, fingerprint, to, content) != result.getLong("checksum")));
    }

    /** A substitute never has the checksum of the row, so the row counts as damaged. */
    private static <F, T> T read(Function<F, T> reading, F stored, T otherwise) {
        try {
            return reading.apply(stored);
        } catch (IllegalArgumentException e) {
            return otherwise;
        }
    }

    /** Null if it is not UTF-8 any more. */
    private static @Nullable String text(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static @Nullable Instant instant(ResultSet result, String column) throws SQLException {
        long millis = result.getLong(column);
        return result.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    private OutboxColumns() {}
}
