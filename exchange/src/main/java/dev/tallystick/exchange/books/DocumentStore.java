package dev.tallystick.exchange.books;

import dev.tallystick.core.Json;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The documents of the exchange that are to be sealed: postings, receipts, results and acknowledgements, in the books of all
 * participants of a database. The statement that records a document queues it, once documents {@linkplain #begin are sealed}.
 * One method is one statement; the caller owns the transaction.
 */
public final class DocumentStore {

    // What follows is part of statements whose CTE "changed" has the rows that they changed.
    public static final String QUEUE_PRODUCERS = """
        queued as (
            insert into tally.exchange_document (participant, event, ids)
            select min(producer), event, array_agg(id::text)
            from changed
            where exists (select from tally.exchange_sealing)
            group by event
        )""";

    public static final String QUEUE_CONSUMERS = """
        queued as (
            insert into tally.exchange_document (participant, event, producers, ids)
            select min(consumer), event, array_agg(producer::text), array_agg(id::text)
            from changed
            where exists (select from tally.exchange_sealing)
            group by event
        )""";

    private static final String BEGIN = "insert into tally.exchange_sealing default values on conflict do nothing";

    private static final String WAITING = """
        with head as (
            select seq, participant, event, producers, ids, queued_at,
                sum(cardinality(ids)) over (order by seq) - cardinality(ids) as before
            from (
                select seq, participant, event, producers, ids, queued_at
                from tally.exchange_document
                order by seq
                limit ?
            ) d
        )
        select h.seq, h.participant, h.event, h.queued_at, n.place,
            m.producer, m.consumer, m.id, m.fingerprint, m.checkpoint, m.processing, m.outcome_digest
        from head h
        cross join lateral unnest(h.ids) with ordinality as n (id, place)
        join tally.exchange_posting m on m.producer = h.participant and m.id = n.id
        where h.producers is null and h.before < ?
        union all
        select h.seq, h.participant, h.event, h.queued_at, n.place,
            m.producer, m.consumer, m.id, m.fingerprint, m.checkpoint, m.processing, m.outcome_digest
        from head h
        cross join lateral unnest(h.producers, h.ids) with ordinality as n (producer, id, place)
        join tally.exchange_received m on m.consumer = h.participant and m.producer = n.producer and m.id = n.id
        where h.producers is not null and h.before < ?
        order by seq, place
        """;

    private static final String REMOVE = """
        delete from tally.exchange_document
        where seq = any (?)
        """;

    /** What a statement added to the books, by its documents. */
    private enum Event {
        POSTED("posting"),
        RECEIPTED("receipt"),
        SETTLED("result", "acknowledgement"),
        SETTLED_AT_ONCE("receipt", "result", "acknowledgement"),
        RECEIVED("posting", "receipt"),
        DECIDED("result"),
        ACKNOWLEDGED("acknowledgement");

        private final List<String> documents;

        Event(String... documents) {
            this.documents = List.of(documents);
        }
    }

    /**
     * Documents of one posting that were recorded together.
     *
     * @param row of the queue
     * @param subject the posting
     * @param record what is sealed: in whose books and when, which documents, and the hash of the last one, which contains the
     *     hash of the one before it, and so on
     */
    public record Recorded(long row, String subject, Map<String, Json> record) {}

    /** How long rows may be that are read at once. */
    private static final int MOST_ROWS = 500;

    /** From now on, documents are queued. */
    public void begin(Tx tx) throws SQLException {
        tx.update(BEGIN);
    }

    /** The oldest that are queued, those of a posting in order: whole rows, until there are so many or more. */
    public List<Recorded> waiting(Tx tx, int most) throws SQLException {
        return tx.query(WAITING, DocumentStore::recorded, MOST_ROWS, most, most);
    }

    public void remove(Tx tx, long[] rows) throws SQLException {
        tx.update(REMOVE, (Object) rows);
    }

    /** What the sealed entries of a posting are bound to. */
    public static String subject(PostingRef ref) {
        return "posting:" + ref.producer() + "/" + ref.consumer() + "/" + ref.id();
    }

    private static Recorded recorded(ResultSet row) throws SQLException {
        PostingRef ref = RowFields.ref(row);
        Event event = Event.valueOf(row.getString("event"));
        Instant at = Objects.requireNonNull(Tx.instant(row, "queued_at"));
        return new Recorded(
                row.getLong("seq"),
                subject(ref),
                Map.of(
                        "by", Json.of(row.getString("participant")),
                        "at", Json.of(at.toString()),
                        "documents",
                                new Json.ArrayValue(event.documents.stream()
                                        .<Json>map(Json::of)
                                        .toList()),
                        "statement",
                                Json.of(Base64.getEncoder()
                                        .encodeToString(
                                                Statement.sha256(statement(event.documents.getLast(), ref, row))))));
    }

    private static byte[] statement(String document, PostingRef ref, ResultSet row) throws SQLException {
        return switch (document) {
            case "posting" -> Statement.ofPosting(ref);
            case "receipt" -> Statement.ofReceipt(ref);
            case "result" -> result(ref, row);
            default -> Statement.ofAcknowledgement(result(ref, row));
        };
    }

    private static byte[] result(PostingRef ref, ResultSet row) throws SQLException {
        return Statement.ofResult(
                ref, ProcessingStatus.valueOf(row.getString("processing")), row.getBytes("outcome_digest"));
    }
}
