package dev.tallystick.exchange.consumer;

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

/** Reads rows of received postings. */
final class ReceivedColumns {

    // List the columns: a prepared "*" breaks when a later migration adds a column.
    static final String ALL = """
        r.producer, r.consumer, r.id, r.fingerprint, r.checkpoint, r.ack, r.processing, r.attempt, r.publications,
            r.inception_datum, r.deadline, r.order_key, r.order_number, r.payload, r.receipt,
            r.outcome, r.reason, r.result_signature, r.audit\
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

    static ReceivedRow read(ResultSet row) throws SQLException {
        String key = row.getString("order_key");
        byte[] signature = row.getBytes("result_signature");
        return new ReceivedRow(
                ref(row),
                status(row),
                row.getInt("attempt"),
                row.getInt("publications"),
                Objects.requireNonNull(Tx.instant(row, "inception_datum")),
                Objects.requireNonNull(Tx.instant(row, "deadline")),
                key == null ? null : new OrderPlace(key, row.getLong("order_number")),
                Payload.of(row.getBytes("payload")),
                BatchSignature.of(row.getBytes("receipt")),
                signature == null
                        ? null
                        : new ReceivedRow.Decision(
                                Payload.of(row.getBytes("outcome")),
                                row.getString("reason"),
                                BatchSignature.of(signature)),
                row.getString("audit").lines().toList());
    }

    private ReceivedColumns() {}
}
