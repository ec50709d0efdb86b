package dev.tallystick.exchange.producer;

import dev.tallystick.exchange.books.DocumentStore;
import dev.tallystick.exchange.books.RowFields;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.OrderPlace;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Status;
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
 * The producer's postings. One method is one statement; the caller owns the transaction. A statement gets each id once, and
 * inserts or locks them in their order.
 */
final class PostingStore {

    private static final String INSERT = """
        with changed as (
            insert into tally.exchange_posting as m (
                producer, id, consumer, attempt, published_at, due_at, deadline, order_key, order_number,
                fingerprint, payload, checkpoint, signature, origin, audit)
            select
                ?, id, consumer, attempt,
                case when attempt > 0 then now() end,
                case when attempt > 0 then least(now() + ? * interval '1 millisecond', now() + deadline * interval '1 millisecond')
                    else now() end,
                now() + deadline * interval '1 millisecond', order_key, order_number, fingerprint, payload, checkpoint, signature,
                origin, tally.exchange_line(?, case when attempt > 0 then 'recorded, publishing' else 'recorded' end)
            from unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                as new (id, consumer, attempt, deadline, order_key, order_number, fingerprint, payload, checkpoint, signature,
                    origin)
            order by id collate "C"
            on conflict (producer, id) do nothing
            returning m.producer, m.id, m.attempt, m.inception_datum, m.deadline, m.audit, 'POSTED' as event
        ),
        %s
        select id, attempt, inception_datum, deadline, audit
        from changed
        """.formatted(DocumentStore.QUEUE_PRODUCERS);

    // "offset 0" forces a look-up key by key, also while the table is small.
    private static final String LOOK_UP = """
        select m.*
        from unnest(?) as wanted (id)
        cross join lateral (
            select producer, consumer, id, fingerprint, checkpoint, ack, processing, outcome_digest, countersignature
            from tally.exchange_posting
            where producer = ? and id = wanted.id
            offset 0
        ) m
        """;

    private static final String NUMBER = """
        insert into tally.exchange_order as o (producer, consumer, handled, order_key, last_number)
        select ?, consumer, false, order_key, number
        from unnest(?, ?, ?) as wanted (consumer, order_key, number)
        order by consumer collate "C", order_key collate "C"
        on conflict (producer, consumer, handled, order_key) do update
        set last_number = o.last_number + excluded.last_number
        returning o.consumer, o.order_key, o.last_number
        """;

    private static final String RECEIPT = """
        with changed as (
            update tally.exchange_posting m
            set ack = 'ACKED_POSTING',
                receipt = r.receipt,
                due_at = least(now() + ? * interval '1 millisecond', case when not m.deadline_missed then m.deadline end),
                audit = m.audit || tally.exchange_line(?, 'receipt recorded')
            from unnest(?, ?, ?, ?) as r (id, consumer, fingerprint, receipt)
            where m.producer = ? and m.id = r.id and m.consumer = r.consumer and m.fingerprint = r.fingerprint
                and m.ack = any (?)
            returning m.producer, m.id, 'RECEIPTED' as event
        ),
        %s
        select id
        from changed
        """.formatted(DocumentStore.QUEUE_PRODUCERS);

    // The trail's newest line tells whether the receipt was recorded before.
    private static final String RESULT = """
        with changed as (
            update tally.exchange_posting m
            set ack = 'ACKED_RESULT',
                processing = r.processing,
                receipt = r.receipt,
                result_signature = r.signature,
                countersignature = r.countersignature,
                outcome_digest = r.outcome_digest,
                outcome = r.outcome,
                reason = r.reason,
                settled_at = now(),
                due_at = null,
                audit = m.audit || tally.exchange_line(?, 'result ' || r.processing || ' recorded'
                    || case when m.ack = 'NACKED_POSTING' then ' before the receipt' else '' end)
            from unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                as r (id, consumer, fingerprint, processing, receipt, signature, countersignature, outcome_digest, outcome,
                    reason)
            where m.producer = ? and m.id = r.id and m.consumer = r.consumer and m.fingerprint = r.fingerprint
                and m.ack = any (?) and (? or m.deadline >= now())
            returning m.producer, m.id, m.deadline < now() as late,
                case when right(m.audit, 20) = ' before the receipt' || chr(10) then 'SETTLED_AT_ONCE' else 'SETTLED' end as event
        ),
        %s
        select id, late
        from changed
        """.formatted(DocumentStore.QUEUE_PRODUCERS);

    private static final String DUE = """
        select %s, m.published_at is not null as published, m.deadline_missed, now() as now
        from tally.exchange_posting m
        where m.producer = ? and m.due_at is not null
            and (m.due_at <= now() or m.published_at <= now() - ? * interval '1 millisecond')
        order by m.due_at
        limit ?
        for update skip locked
        """.formatted(PostingColumns.ALL);

    private static final String COUNT_PUBLICATION = """
        update tally.exchange_posting m
        set attempt = s.attempt,
            retries = s.retries,
            replays = s.replays,
            published_at = case when s.publishes then now() else m.published_at end,
            last_datum = case when s.replays > m.replays then now() else m.last_datum end,
            due_at = now() + s.rest * interval '1 millisecond',
            deadline_missed = s.missed,
            audit = m.audit || case when s.entry <> '' then tally.exchange_line(?, s.entry) else '' end
        from unnest(?, ?, ?, ?, ?, ?, ?, ?) as s (id, attempt, retries, replays, publishes, rest, missed, entry)
        where m.producer = ? and m.id = s.id
        returning %s
        """.formatted(PostingColumns.ALL);

    private static final String STOP = """
        update tally.exchange_posting
        set due_at = null,
            audit = audit || tally.exchange_line(?, ?)
        where producer = ? and id = ? and consumer = ? and processing = 'PENDING' and due_at is not null
        """;

    private static final String OUTCOMES = """
        select id, processing, outcome, reason
        from tally.exchange_posting
        where producer = ? and id = any (?) and processing <> 'PENDING'
        """;

    /** What decides about a message that matched no row as it was. */
    record Known(
            PostingRef ref,
            Status status,
            byte @Nullable [] outcomeDigest,
            @Nullable BatchSignature countersignature) {}

    /** A posting that is due, and when that was read. */
    record Due(PostingRow row, boolean published, boolean deadlineMissed, Instant now) {}

    record Late(MessageId id, boolean isLate) {}

    record OutcomeRow(MessageId id, Settled settled) {}

    private final Participant producer;
    private final String who;

    PostingStore(Participant producer, String who) {
        this.producer = producer;
        this.who = who;
    }

    /** Returns those that were inserted. */
    List<PostingRow> insert(
            Tx tx,
            List<NewPosting> postings,
            List<BatchSignature> signatures,
            Map<MessageId, OrderPlace> places,
            Duration acknowledgement)
            throws SQLException {
        return tx.query(
                INSERT,
                inserted(postings, signatures, places),
                inserting(postings, signatures, places, acknowledgement));
    }

    /** As {@link #insert}, later: {@code inserted} gets the rows. */
    void insertLater(
            Tx tx,
            List<NewPosting> postings,
            List<BatchSignature> signatures,
            Duration acknowledgement,
            Consumer<PostingRow> inserted)
            throws SQLException {
        Tx.RowReader<PostingRow> reader = inserted(postings, signatures, Map.of());
        tx.queryLater(
                INSERT,
                row -> {
                    inserted.accept(reader.read(row));
                    return true;
                },
                inserting(postings, signatures, Map.of(), acknowledgement));
    }

    /** A payload need not come back from the database. */
    private static Tx.RowReader<PostingRow> inserted(
            List<NewPosting> postings, List<BatchSignature> signatures, Map<MessageId, OrderPlace> places) {
        Map<String, Integer> indexes = HashMap.newHashMap(postings.size());
        for (int i = 0; i < postings.size(); i++) {
            indexes.put(postings.get(i).ref().id().value(), i);
        }
        return row -> {
            int index = Objects.requireNonNull(indexes.get(row.getString("id")));
            NewPosting posting = postings.get(index);
            return new PostingRow(
                    posting.ref(),
                    StatusTable.first(Side.PRODUCER),
                    row.getInt("attempt"),
                    0,
                    0,
                    Objects.requireNonNull(Tx.instant(row, "inception_datum")),
                    null,
                    Objects.requireNonNull(Tx.instant(row, "deadline")),
                    places.get(posting.ref().id()),
                    posting.draft().payload(),
                    signatures.get(index),
                    row.getString("audit").lines().toList());
        };
    }

    private @Nullable Object[] inserting(
            List<NewPosting> postings,
            List<BatchSignature> signatures,
            Map<MessageId, OrderPlace> places,
            Duration acknowledgement) {
        Columns<NewPosting> columns = new Columns<>(postings);
        return new @Nullable Object[] {
            producer.name(),
            acknowledgement.toMillis(),
            who,
            columns.texts(posting -> posting.ref().id().value()),
            columns.texts(posting -> posting.ref().consumer().name()),
            columns.ints(posting -> posting.publishing() ? 1 : 0),
            columns.longs(posting -> posting.deadline().toMillis()),
            columns.texts(posting -> posting.draft().orderKey()),
            columns.optionalLongs(posting -> numberOf(places.get(posting.ref().id()))),
            columns.bytes(posting -> posting.ref().fingerprint().bytes()),
            columns.bytes(posting -> posting.draft().payload().bytes()),
            columns.texts(posting -> posting.ref().checkpoint()),
            new Columns<>(signatures).bytes(BatchSignature::bytes),
            columns.texts(posting -> posting.draft().origin())
        };
    }

    private static @Nullable Long numberOf(@Nullable OrderPlace place) {
        return place == null ? null : Long.valueOf(place.number());
    }

    Map<MessageId, Known> lookUp(Tx tx, List<MessageId> ids) throws SQLException {
        Map<MessageId, Known> known = new HashMap<>();
        for (Known each : tx.query(
                LOOK_UP,
                row -> new Known(
                        RowFields.ref(row),
                        RowFields.status(row),
                        row.getBytes("outcome_digest"),
                        RowFields.signature(row, "countersignature")),
                new Columns<>(ids).texts(MessageId::value),
                producer.name())) {
            known.put(each.ref().id(), each);
        }
        return known;
    }

    /** An order key of a consumer. */
    record OrderKey(Participant consumer, String key) {}

    /** Takes so many numbers of each key, and returns the last of them. */
    Map<OrderKey, Long> takeNumbers(Tx tx, Map<OrderKey, Integer> wanted) throws SQLException {
        Columns<Map.Entry<OrderKey, Integer>> columns = new Columns<>(List.copyOf(wanted.entrySet()));
        Map<OrderKey, Long> last = new HashMap<>();
        tx.query(
                NUMBER,
                row -> last.put(
                        new OrderKey(new Participant(row.getString("consumer")), row.getString("order_key")),
                        row.getLong("last_number")),
                producer.name(),
                columns.texts(each -> each.getKey().consumer().name()),
                columns.texts(each -> each.getKey().key()),
                columns.longs(Map.Entry::getValue));
        return last;
    }

    /** Returns the postings whose status changed. */
    List<MessageId> recordReceipts(Tx tx, List<Arrivals.Receipt> receipts, Duration rest) throws SQLException {
        Columns<Arrivals.Receipt> columns = new Columns<>(receipts);
        return tx.query(
                RECEIPT,
                row -> new MessageId(row.getString("id")),
                rest.toMillis(),
                who,
                columns.texts(receipt -> receipt.ref().id().value()),
                columns.texts(receipt -> receipt.ref().consumer().name()),
                columns.bytes(receipt -> receipt.ref().fingerprint().bytes()),
                columns.bytes(receipt -> receipt.body().signature().bytes()),
                producer.name(),
                StatusTable.before(Side.PRODUCER, Event.RECEIPT_ARRIVES));
    }

    /** Returns the postings whose status changed, and whether they were past their deadline. */
    List<Late> recordResults(Tx tx, List<Arrivals.Result> results, List<BatchSignature> countersignatures)
            throws SQLException {
        return tx.query(RESULT, PostingStore::late, recording(results, countersignatures, true));
    }

    /** As {@link #recordResults}, later and only for postings within their deadline: {@code changed} gets them. */
    void recordResultsLater(
            Tx tx, List<Arrivals.Result> results, List<BatchSignature> countersignatures, Consumer<MessageId> changed)
            throws SQLException {
        tx.queryLater(
                RESULT,
                row -> {
                    changed.accept(late(row).id());
                    return true;
                },
                recording(results, countersignatures, false));
    }

    private static Late late(ResultSet row) throws SQLException {
        return new Late(new MessageId(row.getString("id")), row.getBoolean("late"));
    }

    private @Nullable Object[] recording(
            List<Arrivals.Result> results, List<BatchSignature> countersignatures, boolean alsoLate) {
        Columns<Arrivals.Result> columns = new Columns<>(results);
        return new @Nullable Object[] {
            who,
            columns.texts(result -> result.ref().id().value()),
            columns.texts(result -> result.ref().consumer().name()),
            columns.bytes(result -> result.ref().fingerprint().bytes()),
            columns.texts(result -> result.body().processing().name()),
            columns.bytes(result -> result.body().receipt().bytes()),
            columns.bytes(result -> result.body().signature().bytes()),
            new Columns<>(countersignatures).bytes(BatchSignature::bytes),
            columns.bytes(result -> result.body().outcomeDigest()),
            columns.bytes(result -> result.body().payload().bytes()),
            columns.texts(result -> result.body().reason()),
            producer.name(),
            StatusTable.before(Side.PRODUCER, Event.RESULT_ARRIVES),
            alsoLate
        };
    }

    /**
     * Locks postings that are due.
     *
     * @param unpublishedFor also those that were last published so long ago, due or not
     */
    List<Due> lockDue(Tx tx, Duration unpublishedFor, int limit) throws SQLException {
        return tx.query(
                DUE,
                row -> new Due(
                        PostingColumns.read(row),
                        row.getBoolean("published"),
                        row.getBoolean("deadline_missed"),
                        Objects.requireNonNull(Tx.instant(row, "now"))),
                producer.name(),
                unpublishedFor.toMillis(),
                limit);
    }

    /** Returns the postings as they are now. */
    List<PostingRow> count(Tx tx, List<NextStep> steps) throws SQLException {
        Columns<NextStep> columns = new Columns<>(steps);
        return tx.query(
                COUNT_PUBLICATION,
                PostingColumns::read,
                who,
                columns.texts(step -> step.id().value()),
                columns.ints(NextStep::attempt),
                columns.ints(NextStep::retries),
                columns.ints(NextStep::replays),
                columns.flags(NextStep::publishes),
                columns.optionalLongs(step ->
                        step.rest() == null ? null : Long.valueOf(step.rest().toMillis())),
                columns.flags(NextStep::deadlineMissed),
                columns.texts(NextStep::entry),
                producer.name());
    }

    /** No longer publishes a posting. */
    boolean stop(Tx tx, PostingRef ref, String why) throws SQLException {
        return tx.update(
                        STOP,
                        who,
                        why,
                        producer.name(),
                        ref.id().value(),
                        ref.consumer().name())
                == 1;
    }

    List<OutcomeRow> outcomes(Tx tx, List<MessageId> ids) throws SQLException {
        return tx.query(
                OUTCOMES,
                row -> new OutcomeRow(
                        new MessageId(row.getString("id")),
                        settled(
                                row.getString("processing"),
                                Payload.of(row.getBytes("outcome")),
                                row.getString("reason"))),
                producer.name(),
                new Columns<>(ids).texts(MessageId::value));
    }

    Optional<Settled> outcome(Tx tx, MessageId id) throws SQLException {
        return outcomes(tx, List.of(id)).stream().map(OutcomeRow::settled).findFirst();
    }

    static Settled settled(String processing, Payload payload, String reason) {
        return processing.equals("OK") ? new Settled.Ok(payload) : new Settled.Rejected(reason, payload);
    }
}
