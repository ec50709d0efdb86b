package dev.tallystick.bench;

import dev.tallystick.bench.Contender.Round;
import dev.tallystick.bench.ExchangeSuite.Databases;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.Reconciliation;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Database;
import java.sql.SQLException;
import java.util.List;

/** Compares large books that differ in ten postings, as rows have them after a round trip: payload, signatures and trail. */
final class ReconcileRound implements Round {

    static final Participant PRODUCER = new Participant("books-n");
    static final Participant CONSUMER = new Participant("books-p");

    private static final int DIFFERENCES = 10;

    private static String posted(int postings) {
        return """
            insert into tally.exchange_posting (producer, id, consumer, ack, processing, attempt, inception_datum, deadline,
                fingerprint, payload, signature, receipt, result_signature, countersignature, outcome_digest, outcome,
                settled_at, audit)
            select 'books-n', 'order-' || i, 'books-p', 'ACKED_RESULT', 'OK', 1,
                timestamptz '2026-01-01 12:00:00Z' + i / 10000 * interval '1 day', now(), sha256(convert_to(i::text, 'UTF8')),
                '{"pay":"42"}', s.bytes, s.bytes, s.bytes, s.bytes, sha256('done'), 'done', now(), repeat('x', 150)
            from generate_series(1, %d) i, (select decode(repeat('5a', 200), 'hex') as bytes) s
            """.formatted(postings);
    }

    private static String received(int postings) {
        return """
            insert into tally.exchange_received (consumer, producer, id, ack, processing, inception_datum, deadline,
                fingerprint, payload, signature, receipt, result_signature, countersignature, outcome_digest, outcome,
                settled_at, audit)
            select 'books-p', 'books-n', 'order-' || i, 'ACKED_RESULT', 'OK',
                timestamptz '2026-01-01 12:00:00Z' + i / 10000 * interval '1 day', now(), sha256(convert_to(i::text, 'UTF8')),
                '{"pay":"42"}', s.bytes, s.bytes, s.bytes, s.bytes, sha256('done'), 'done', now(), repeat('x', 150)
            from generate_series(1, %d) i, (select decode(repeat('5a', 200), 'hex') as bytes) s
            """.formatted(postings);
    }

    /** In different days. */
    private static String lose(int number, int apart) {
        return """
            delete from tally.exchange_posting
            where id in (select 'order-' || i * %2$d - 1 from generate_series(1, %1$d) i)
            """.formatted(number, apart);
    }

    private final Database ours;
    private final Database theirs;

    private ReconcileRound(Databases databases) {
        this.ours = Database.on(databases.acmes());
        this.theirs = Database.on(databases.globexs());
    }

    /** Fills the books the first time. */
    static ReconcileRound open(Databases databases, int postings, boolean isFirst) throws SQLException {
        if (isFirst) {
            Setup.run(
                    databases.acmes(),
                    List.of(posted(postings), lose(DIFFERENCES, postings / DIFFERENCES), "vacuum analyze"));
            Setup.run(databases.globexs(), List.of(received(postings), "vacuum analyze"));
        }
        return new ReconcileRound(databases);
    }

    @Override
    public int call(int caller) {
        Reconciliation found = Reconciliation.between(
                DatabaseBooks.ofProducer(ours, PRODUCER, CONSUMER),
                DatabaseBooks.ofConsumer(theirs, PRODUCER, CONSUMER));
        if (found.differences().size() != DIFFERENCES) {
            throw new IllegalStateException("found " + found.differences().size() + " differences");
        }
        return 1;
    }

    @Override
    public void close() {}
}
