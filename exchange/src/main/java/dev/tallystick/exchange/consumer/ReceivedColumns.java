package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.books.RowFields;
import dev.tallystick.exchange.message.Payload;
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

    static ReceivedRow read(ResultSet row) throws SQLException {
        BatchSignature signature = RowFields.signature(row, "result_signature");
        return new ReceivedRow(
                RowFields.ref(row),
                RowFields.status(row),
                row.getInt("attempt"),
                row.getInt("publications"),
                Objects.requireNonNull(Tx.instant(row, "inception_datum")),
                Objects.requireNonNull(Tx.instant(row, "deadline")),
                RowFields.place(row),
                Payload.of(row.getBytes("payload")),
                BatchSignature.of(row.getBytes("receipt")),
                signature == null
                        ? null
                        : new ReceivedRow.Decision(
                                Payload.of(row.getBytes("outcome")), row.getString("reason"), signature),
                row.getString("audit").lines().toList());
    }

    private ReceivedColumns() {}
}
