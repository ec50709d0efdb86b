package dev.tallystick.exchange.consumer;

import dev.tallystick.exchange.books.DocumentStore;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.StatusTable;
import dev.tallystick.exchange.message.StatusTable.Event;
import dev.tallystick.exchange.message.StatusTable.Side;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The postings that a consumer has received. One method is one statement; the caller owns the transaction. A statement gets
 * each posting once, and inserts or locks them in their order.
 */
final class ReceivedStore {

    // A posting in an order waits for its turn; any other is leased by the statement that records it.
    private static final String INSERT = """
        with changed as (
            insert into tally.exchange_received as r (
                consumer, producer, id, attempt, due_at, inception_datum, deadline, order_key, order_number,
                fingerprint, payload, checkpoint, signature, receipt, audit)
            select
                ?, producer, id, case when order_key is null then 1 else 0 end, now() + ? * interval '1 millisecond',
                inception, deadline, order_key, order_number,
                fingerprint, payload, checkpoint, signature, receipt, tally.exchange_line(?, 'received')
            from unnest(?, ?, ?::timestamptz[], ?::timestamptz[], ?, ?, ?, ?, ?, ?, ?)
                as new (producer, id, inception, deadline, order_key, order_number, fingerprint, payload, checkpoint,
                    signature, receipt)
            order by producer collate "C", id collate "C"
            on conflict (consumer, producer, id) do nothing
            returning r.consumer, r.producer, r.id, r.attempt, r.inception_datum, r.deadline, r.audit, 'RECEIVED' as event
        ),
        %s
        select producer, id, attempt, inception_datum, deadline, audit
        from changed
        """.formatted(DocumentStore.QUEUE_CONSUMERS);

    // "offset 0" forces a look-up key by key, also while the table is small.
    private static final String LOOK_UP = """
        select r.*
        from unnest(?, ?) as wanted (producer, id)
        cross join lateral (
            select %s, r.outcome_digest
            from tally.exchange_received r
            where r.consumer = ? and r.producer = wanted.producer and r.id = wanted.id
            offset 0
        ) r
        """.formatted(ReceivedColumns.ALL);

    // Travels with COMMIT, so nothing can check the number of rows in between: if one is missing it divides by zero,
    // and the transaction fails. The due time stays where the lease has put it, which saves the update of an index.
    private static final String FINISH = """
        with changed as (
            update tally.exchange_received r
            set ack = 'NACKED_RESULT',
                processing = f.processing,
                outcome_digest = f.outcome_digest,
                outcome = f.outcome,
                reason = f.reason,
                result_signature = f.signature,
                publications = 1,
                settled_at = now(),
                due_at = greatest(r.due_at, now() + ? * interval '1 millisecond'),
                audit = r.audit || tally.exchange_line(?, 'handled, ' || f.processing || ', publishing the result')
            from unnest(?, ?, ?, ?, ?, ?, ?, ?)
                as f (producer, id, attempt, processing, outcome_digest, outcome, reason, signature)
            where r.consumer = ? and r.producer = f.producer and r.id = f.id and r.attempt = f.attempt and r.ack = any (?)
            returning r.consumer, r.producer, r.id, 'DECIDED' as event
        ),
        %s
        select 1 / case when count(*) = ? then 1 else 0 end
        from changed
        """.formatted(DocumentStore.QUEUE_CONSUMERS);

    private static final String HOLDS_LEASE = """
        select 1
        from tally.exchange_received
        where consumer = ? and producer = ? and id = ? and attempt = ? and processing = 'PENDING'
        """;

    private static final String FAIL = """
        update tally.exchange_received r
        set failures = failures + 1,
            last_failure = ?,
            due_at = now() + least(?::bigint << least(failures, 20), ?) * interval '1 millisecond',
            audit = audit || case when failures < 8 then tally.exchange_line(?, 'handler failed') else '' end
        where consumer = ? and producer = ? and id = ? and attempt = ? and processing = 'PENDING'
        returning failures
        """;

    private static final String ACKNOWLEDGE = """
        with changed as (
            update tally.exchange_received r
            set ack = 'ACKED_RESULT',
                countersignature = a.countersignature,
                due_at = null,
                audit = r.audit || tally.exchange_line(?, 'result acknowledged')
            from unnest(?, ?, ?, ?, ?, ?)
                as a (producer, id, fingerprint, processing, outcome_digest, countersignature)
            where r.consumer = ? and r.producer = a.producer and r.id = a.id and r.fingerprint = a.fingerprint
                and r.processing = a.processing and r.outcome_digest = a.outcome_digest and r.ack = any (?)
            returning r.consumer, r.producer, r.id, 'ACKNOWLEDGED' as event
        ),
        %s
        select producer, id
        from changed
        """.formatted(DocumentStore.QUEUE_CONSUMERS);

    private static final String DUE = """
        select %s, now() as now
        from tally.exchange_received r
        where r.consumer = ? and r.due_at <= now()
        order by r.due_at
        limit ?
        for update skip locked
        """.formatted(ReceivedColumns.ALL);

    private static final String LEASE = """
        update tally.exchange_received r
        set attempt = r.attempt + s.starts,
            publications = r.publications + s.publications,
            due_at = now() + s.rest * interval '1 millisecond',
            audit = r.audit || case
                when s.starts > 0 then tally.exchange_line(?, 'handler started again')
                when s.publications > 0 and (r.publications < 16 or r.publications & (r.publications - 1) = 0)
                    then tally.exchange_line(?, 'publishing the result again')
                else '' end
        from unnest(?, ?, ?, ?, ?) as s (producer, id, starts, publications, rest)
        where r.consumer = ? and r.producer = s.producer and r.id = s.id
        returning %s, now() as now
        """.formatted(ReceivedColumns.ALL);

    private static final String RENEW = """
        update tally.exchange_received r
        set due_at = now() + ? * interval '1 millisecond'
        from unnest(?, ?, ?) as held (producer, id, attempt)
        where r.consumer = ? and r.producer = held.producer and r.id = held.id and r.attempt = held.attempt
            and r.processing = 'PENDING'
        """;

    private static final String STOP = """
        update tally.exchange_received
        set due_at = null,
            audit = audit || tally.exchange_line(?, ?)
        where consumer = ? and producer = ? and id = ? and ack = 'NACKED_RESULT' and due_at is not null
        """;

    // A document is read from its row when it is sealed.
    private static final String FORGET = """
        with old as (
            select producer, id
            from tally.exchange_received r
            where r.consumer = ? and r.received_at < now() - ? * interval '1 millisecond' and r.ack = 'ACKED_RESULT'
                and not exists (
                    select
                    from tally.exchange_document d
                    where d.participant = r.consumer and r.id = any (d.ids)
                )
            limit ?
            for update skip locked
        )
        delete from tally.exchange_received r
        using old
        where r.consumer = ? and r.producer = old.producer and r.id = old.id
        """;

    /** What decides about a message that matched no row as it was. */
    record Known(ReceivedRow row, byte @Nullable [] outcomeDigest) {

        PostingRef ref() {
            return row.ref();
        }
    }

    /** A row that is due, and when that was read. */
    record Due(ReceivedRow row, Instant now) {}

    /** Identifies a posting at this consumer. */
    record PostingKey(Participant producer, MessageId id) {}

    /** What to do about a row that is due: start its handler, or publish its result; and until when it then rests. */
    record Step(PostingKey key, boolean starts, boolean publishes, Duration rest) {}

    /** A handler that runs here. */
    record Held(PostingKey key, int attempt) {}

    private final Participant consumer;
    private final String who;

    ReceivedStore(Participant consumer, String who) {
        this.consumer = consumer;
        this.who = who;
    }

    static PostingKey keyOf(PostingRef ref) {
        return new PostingKey(ref.producer(), ref.id());
    }

    /** Returns those that were inserted. */
    List<ReceivedRow> insert(Tx tx, List<Arrived.Posting> postings, List<BatchSignature> receipts, Duration lease)
            throws SQLException {
        return tx.query(INSERT, inserted(postings, receipts), inserting(postings, receipts, lease));
    }

    /** As {@link #insert}, later: {@code inserted} gets the rows. */
    void insertLater(
            Tx tx,
            List<Arrived.Posting> postings,
            List<BatchSignature> receipts,
            Duration lease,
            Consumer<ReceivedRow> inserted)
            throws SQLException {
        Tx.RowReader<ReceivedRow> reader = inserted(postings, receipts);
        tx.queryLater(
                INSERT,
                row -> {
                    inserted.accept(reader.read(row));
                    return true;
                },
                inserting(postings, receipts, lease));
    }

    /** A payload need not come back from the database. Times do, for it may have rounded them. */
    private static Tx.RowReader<ReceivedRow> inserted(List<Arrived.Posting> postings, List<BatchSignature> receipts) {
        Map<PostingKey, Integer> indexes = HashMap.newHashMap(postings.size());
        for (int i = 0; i < postings.size(); i++) {
            indexes.put(keyOf(postings.get(i).ref()), i);
        }
        return row -> {
            int index = Objects.requireNonNull(indexes.get(key(row)));
            Arrived.Posting posting = postings.get(index);
            return new ReceivedRow(
                    posting.ref(),
                    StatusTable.first(Side.CONSUMER),
                    row.getInt("attempt"),
                    0,
                    Objects.requireNonNull(Tx.instant(row, "inception_datum")),
                    Objects.requireNonNull(Tx.instant(row, "deadline")),
                    placeOf(posting),
                    posting.body().payload(),
                    receipts.get(index),
                    null,
                    row.getString("audit").lines().toList());
        };
    }

    private @Nullable Object[] inserting(
            List<Arrived.Posting> postings, List<BatchSignature> receipts, Duration lease) {
        Columns<Arrived.Posting> columns = new Columns<>(postings);
        return new @Nullable Object[] {
            consumer.name(),
            lease.toMillis(),
            who,
            columns.texts(posting -> posting.ref().producer().name()),
            columns.texts(posting -> posting.ref().id().value()),
            columns.texts(posting -> posting.message().inception().toString()),
            columns.texts(posting -> posting.body().deadline().toString()),
            columns.texts(posting -> placeOf(posting) == null
                    ? null
                    : Objects.requireNonNull(placeOf(posting)).key()),
            columns.optionalLongs(posting -> placeOf(posting) == null
                    ? null
                    : Objects.requireNonNull(placeOf(posting)).number()),
            columns.bytes(posting -> posting.ref().fingerprint().bytes()),
            columns.bytes(posting -> posting.body().payload().bytes()),
            columns.texts(posting -> posting.ref().checkpoint()),
            columns.bytes(posting -> posting.body().signature().bytes()),
            new Columns<>(receipts).bytes(BatchSignature::bytes)
        };
    }

    private static @Nullable OrderPlace placeOf(Arrived.Posting posting) {
        return posting.body().place();
    }

    Map<PostingKey, Known> lookUp(Tx tx, List<PostingKey> keys) throws SQLException {
        Columns<PostingKey> columns = new Columns<>(keys);
        Map<PostingKey, Known> known = new HashMap<>();
        for (Known each : tx.query(
                LOOK_UP,
                row -> new Known(ReceivedColumns.read(row), row.getBytes("outcome_digest")),
                columns.texts(key -> key.producer().name()),
                columns.texts(key -> key.id().value()),
                consumer.name())) {
            known.put(keyOf(each.ref()), each);
        }
        return known;
    }

    /** A decided posting. */
    record Decided(ReceivedRow row, ProcessingStatus processing, byte[] outcomeDigest, ReceivedRow.Decision decision) {}

    /** Records outcomes as the last statement of a transaction, which fails if one of the handlers has lost its lease. */
    void finish(Tx tx, List<Decided> decided, Duration acknowledgement) throws SQLException {
        Columns<Decided> columns = new Columns<>(decided);
        tx.queryLater(
                FINISH,
                finished -> true,
                acknowledgement.toMillis(),
                who,
                columns.texts(each -> each.row().ref().producer().name()),
                columns.texts(each -> each.row().ref().id().value()),
                columns.ints(each -> each.row().attempt()),
                columns.texts(each -> each.processing().name()),
                columns.bytes(Decided::outcomeDigest),
                columns.bytes(each -> each.decision().payload().bytes()),
                columns.texts(each -> each.decision().reason()),
                columns.bytes(each -> each.decision().signature().bytes()),
                consumer.name(),
                StatusTable.before(Side.CONSUMER, Event.HANDLER_DECIDES),
                decided.size());
    }

    boolean holdsLease(Tx tx, ReceivedRow row) throws SQLException {
        return tx.first(
                        HOLDS_LEASE,
                        found -> true,
                        consumer.name(),
                        row.ref().producer().name(),
                        row.ref().id().value(),
                        row.attempt())
                .isPresent();
    }

    /** How often the handler has failed now; empty if it had lost its lease. */
    Optional<Integer> fail(Tx tx, ReceivedRow row, String failure, Duration first, Duration longest)
            throws SQLException {
        return tx.first(
                FAIL,
                found -> found.getInt("failures"),
                failure,
                first.toMillis(),
                longest.toMillis(),
                who,
                consumer.name(),
                row.ref().producer().name(),
                row.ref().id().value(),
                row.attempt());
    }

    /** Returns the postings whose status changed. */
    List<PostingKey> acknowledge(Tx tx, List<Arrived.Acknowledgement> acknowledgements) throws SQLException {
        return tx.query(ACKNOWLEDGE, ReceivedStore::key, acknowledging(acknowledgements));
    }

    /** As {@link #acknowledge}, later: {@code changed} gets the postings. */
    void acknowledgeLater(Tx tx, List<Arrived.Acknowledgement> acknowledgements, Consumer<PostingKey> changed)
            throws SQLException {
        tx.queryLater(
                ACKNOWLEDGE,
                row -> {
                    changed.accept(key(row));
                    return true;
                },
                acknowledging(acknowledgements));
    }

    private static PostingKey key(ResultSet row) throws SQLException {
        return new PostingKey(new Participant(row.getString("producer")), new MessageId(row.getString("id")));
    }

    private @Nullable Object[] acknowledging(List<Arrived.Acknowledgement> acknowledgements) {
        Columns<Arrived.Acknowledgement> columns = new Columns<>(acknowledgements);
        return new @Nullable Object[] {
            who,
            columns.texts(each -> each.ref().producer().name()),
            columns.texts(each -> each.ref().id().value()),
            columns.bytes(each -> each.ref().fingerprint().bytes()),
            columns.texts(each -> each.body().processing().name()),
            columns.bytes(each -> each.body().outcomeDigest().bytes()),
            columns.bytes(each -> each.body().signature().bytes()),
            consumer.name(),
            StatusTable.before(Side.CONSUMER, Event.ACKNOWLEDGEMENT_ARRIVES)
        };
    }

    List<Due> lockDue(Tx tx, int limit) throws SQLException {
        return tx.query(DUE, ReceivedStore::due, consumer.name(), limit);
    }

    /** Returns the rows as they are now. */
    List<Due> lease(Tx tx, List<Step> steps) throws SQLException {
        Columns<Step> columns = new Columns<>(steps);
        return tx.query(
                LEASE,
                ReceivedStore::due,
                who,
                who,
                columns.texts(step -> step.key().producer().name()),
                columns.texts(step -> step.key().id().value()),
                columns.ints(step -> step.starts() ? 1 : 0),
                columns.ints(step -> step.publishes() ? 1 : 0),
                columns.longs(step -> step.rest().toMillis()),
                consumer.name());
    }

    private static Due due(ResultSet row) throws SQLException {
        return new Due(ReceivedColumns.read(row), Objects.requireNonNull(Tx.instant(row, "now")));
    }

    void renew(Tx tx, List<Held> held, Duration lease) throws SQLException {
        Columns<Held> columns = new Columns<>(held);
        tx.update(
                RENEW,
                lease.toMillis(),
                columns.texts(each -> each.key().producer().name()),
                columns.texts(each -> each.key().id().value()),
                columns.ints(Held::attempt),
                consumer.name());
    }

    /** No longer publishes a result. */
    boolean stop(Tx tx, PostingRef ref, String why) throws SQLException {
        return tx.update(
                        STOP,
                        who,
                        why,
                        consumer.name(),
                        ref.producer().name(),
                        ref.id().value())
                == 1;
    }

    int forget(Tx tx, Duration remember, int limit) throws SQLException {
        return tx.update(FORGET, consumer.name(), remember.toMillis(), limit, consumer.name());
    }
}
