package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.books.RowFields;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;

/** Reads rows of postings. */
final class PostingColumns {

    // List the columns: a prepared "*" breaks when a later migration adds a column.
    static final String ALL = """
        m.producer, m.consumer, m.id, m.fingerprint, m.checkpoint, m.ack, m.processing, m.attempt, m.retries, m.replays,
            m.inception_datum, m.last_datum, m.deadline, m.order_key, m.order_number, m.payload, m.signature, m.audit\
        """;

    static PostingRow read(ResultSet row) throws SQLException {
        return new PostingRow(
                RowFields.ref(row),
                RowFields.status(row),
                row.getInt("attempt"),
                row.getInt("retries"),
                row.getInt("replays"),
                Objects.requireNonNull(Tx.instant(row, "inception_datum")),
                Tx.instant(row, "last_datum"),
                Objects.requireNonNull(Tx.instant(row, "deadline")),
                RowFields.place(row),
                Payload.of(row.getBytes("payload")),
                BatchSignature.of(row.getBytes("signature")),
                row.getString("audit").lines().toList());
    }

    private PostingColumns() {}
}
