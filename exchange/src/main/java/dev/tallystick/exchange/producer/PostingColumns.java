package dev.tallystick.exchange.producer;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads rows of postings. */
final class PostingColumns {

    // List the columns: a prepared "*" breaks when a later migration adds a column.
    static final String ALL = """
        m.producer, m.consumer, m.id, m.fingerprint, m.checkpoint, m.ack, m.processing, m.attempt, m.retries, m.replays,
            m.inception_datum, m.last_datum, m.deadline, m.order_key, m.order_number, m.payload, m.signature, m.audit\
        """;

    static PostingRef ref(ResultSet row) throws SQLException {
        return new PostingRef(
                new Participant(row.getString("producer")),
                new Participant(row.getString("consumer")),
                new MessageId(row.getString("id")),
                Fingerprint.of(row.getBytes("fingerprint")),
                row.getString("checkpoint"));
    }

    static Status status(ResultSet row) throws SQLException {
        return new Status(
                AckStatus.valueOf(row.getString("ack")), ProcessingStatus.valueOf(row.getString("processing")));
    }

    static PostingRow read(ResultSet row) throws SQLException {
        return new PostingRow(
                ref(row),
                status(row),
                row.getInt("attempt"),
                row.getInt("retries"),
                row.getInt("replays"),
                Objects.requireNonNull(Tx.instant(row, "inception_datum")),
                Tx.instant(row, "last_datum"),
                Objects.requireNonNull(Tx.instant(row, "deadline")),
                place(row),
                Payload.of(row.getBytes("payload")),
                BatchSignature.of(row.getBytes("signature")),
                row.getString("audit").lines().toList());
    }

    private static @Nullable OrderPlace place(ResultSet row) throws SQLException {
        String key = row.getString("order_key");
        return key == null ? null : new OrderPlace(key, row.getLong("order_number"));
    }

    private PostingColumns() {}
}
