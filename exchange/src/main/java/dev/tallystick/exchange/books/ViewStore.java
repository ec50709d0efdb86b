package dev.tallystick.exchange.books;

import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.partner.KeyRotation;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the records of both sides. One method is one statement; the caller owns the transaction. */
final class ViewStore {

    private static final String LIST = """
        select * from (
            (select true as posted, producer, consumer, id, ack, processing, attempt, replays, null as last_failure,
                inception_datum, deadline, due_at, reason, audit
            from tally.exchange_posting
            where producer = ? and (? or due_at is not null) and (?::text is null or id = ?)
            order by inception_datum desc
            limit ?)
            union all
            (select false, producer, consumer, id, ack, processing, attempt, publications, last_failure,
                inception_datum, deadline, due_at, reason, audit
            from tally.exchange_received
            where consumer = ? and (? or due_at is not null) and (?::text is null or id = ?)
            order by inception_datum desc
            limit ?)
        ) both_sides
        order by inception_datum desc
        """;

    private static final String REPLAY_POSTED = """
        update tally.exchange_posting
        set due_at = now(), attempt = 0,
            audit = audit || tally.exchange_line(?, 'replay requested')
        where producer = ? and id = ? and processing = 'PENDING'
        """;

    // A handler that runs keeps its lease.
    private static final String REPLAY_RECEIVED = """
        update tally.exchange_received
        set due_at = now(), publications = 0,
            audit = audit || tally.exchange_line(?, 'replay requested')
        where consumer = ? and id = ? and ack = 'NACKED_RESULT'
        """;

    private static final String COUNT = """
        select 'posted' as side, ack, processing, count(*) as number
        from tally.exchange_posting
        where producer = ? and due_at is not null
        group by ack, processing
        union all
        select 'received', ack, processing, count(*)
        from tally.exchange_received
        where consumer = ? and due_at is not null
        group by ack, processing
        """;

    private static final String POSTED = """
        select producer, consumer, id, fingerprint, checkpoint, order_key, payload, signature, receipt, processing, outcome,
            reason, result_signature, countersignature
        from tally.exchange_posting
        where producer = ? and id = ?
        """;

    private static final String RECEIVED = """
        select producer, consumer, id, fingerprint, checkpoint, order_key, payload, signature, receipt, processing, outcome,
            reason, result_signature, countersignature
        from tally.exchange_received
        where consumer = ? and producer = ? and id = ?
        """;

    /** How many open records of a side have a status. */
    record Count(String side, Status status, long number) {}

    /** @param id null for all */
    List<View> list(Tx tx, Participant self, boolean alsoSettled, @Nullable String id, int limit) throws SQLException {
        return tx.query(
                LIST,
                ViewStore::view,
                self.name(),
                alsoSettled,
                id,
                id,
                limit,
                self.name(),
                alsoSettled,
                id,
                id,
                limit);
    }

    int replayPosted(Tx tx, Participant self, String id, String who) throws SQLException {
        return tx.update(REPLAY_POSTED, who, self.name(), id);
    }

    int replayReceived(Tx tx, Participant self, String id, String who) throws SQLException {
        return tx.update(REPLAY_RECEIVED, who, self.name(), id);
    }

    List<Count> count(Tx tx, Participant self) throws SQLException {
        return tx.query(
                COUNT,
                row -> new Count(row.getString("side"), RowFields.status(row), row.getLong("number")),
                self.name(),
                self.name());
    }

    Optional<Bundle> posted(Tx tx, Participant producer, MessageId id, List<KeyRotation> rotations)
            throws SQLException {
        return tx.first(POSTED, row -> bundle(row, rotations), producer.name(), id.value());
    }

    Optional<Bundle> received(
            Tx tx, Participant consumer, Participant producer, MessageId id, List<KeyRotation> rotations)
            throws SQLException {
        return tx.first(RECEIVED, row -> bundle(row, rotations), consumer.name(), producer.name(), id.value());
    }

    private static Bundle bundle(ResultSet row, List<KeyRotation> rotations) throws SQLException {
        return new Bundle(
                RowFields.ref(row),
                Payload.of(row.getBytes("payload")),
                row.getString("order_key"),
                BatchSignature.of(row.getBytes("signature")),
                RowFields.signature(row, "receipt"),
                result(row),
                RowFields.signature(row, "countersignature"),
                rotations);
    }

    private static Bundle.@Nullable Result result(ResultSet row) throws SQLException {
        BatchSignature signature = RowFields.signature(row, "result_signature");
        return signature == null
                ? null
                : new Bundle.Result(
                        ProcessingStatus.valueOf(row.getString("processing")),
                        Payload.of(row.getBytes("outcome")),
                        row.getString("reason"),
                        signature);
    }

    private static View view(ResultSet row) throws SQLException {
        return new View(
                row.getBoolean("posted"),
                row.getString("producer"),
                row.getString("consumer"),
                row.getString("id"),
                RowFields.status(row),
                row.getInt("attempt"),
                row.getInt("replays"),
                row.getString("last_failure"),
                Objects.requireNonNull(Tx.instant(row, "inception_datum")),
                Objects.requireNonNull(Tx.instant(row, "deadline")),
                Tx.instant(row, "due_at"),
                row.getString("reason"),
                row.getString("audit").lines().toList());
    }
}
