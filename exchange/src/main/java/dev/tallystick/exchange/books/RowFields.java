package dev.tallystick.exchange.books;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.signing.BatchSignature;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads the fields that the records of both sides have. */
public final class RowFields {

    public static PostingRef ref(ResultSet row) throws SQLException {
        return new PostingRef(
                new Participant(row.getString("producer")),
                new Participant(row.getString("consumer")),
                new MessageId(row.getString("id")),
                Fingerprint.of(row.getBytes("fingerprint")),
                row.getString("checkpoint"));
    }

    public static Status status(ResultSet row) throws SQLException {
        return new Status(
                AckStatus.valueOf(row.getString("ack")), ProcessingStatus.valueOf(row.getString("processing")));
    }

    public static @Nullable OrderPlace place(ResultSet row) throws SQLException {
        String key = row.getString("order_key");
        return key == null ? null : new OrderPlace(key, row.getLong("order_number"));
    }

    public static @Nullable BatchSignature signature(ResultSet row, String column) throws SQLException {
        byte[] bytes = row.getBytes(column);
        return bytes == null ? null : BatchSignature.of(bytes);
    }

    private RowFields() {}
}
