package dev.tallystick.exchange.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.TransportContract;
import dev.tallystick.exchange.books.Reconciliation.Difference;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.testkit.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReconciliationTest {

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    private final Database acme = Database.on(acmes.dataSource());
    private final Database globex = Database.on(globexs.dataSource());

    @Test
    void differences_are_found_and_named_with_few_questions() {
        settle(5_000);
        spoil();
        Reconciliation found = TransportContract.difference(acme, globex);

        assertThat(found.differences())
                .extracting(Difference::id, Difference::kind, Difference::ours, Difference::theirs)
                .containsExactlyInAnyOrder(
                        tuple("id-1", IssueKind.MISSING_AT_PARTNER, "OK", "-"),
                        tuple("id-2", IssueKind.MISSING_HERE, "-", "OK"),
                        tuple("id-3", IssueKind.BOOKS_DIFFER, "OK", "REJECTED"),
                        tuple("id-4", IssueKind.BOOKS_DIFFER, "OK", "OK"));
        assertThat(found.questions()).isLessThanOrEqualTo(1 + 4 * 3);
    }

    @Test
    void equal_books_need_one_question() {
        settle(1_000);

        assertThat(TransportContract.difference(acme, globex)).isEqualTo(new Reconciliation(List.of(), 1));
    }

    @Test
    @Tag("campaign")
    void ten_differences_among_a_million_postings_are_found() {
        settle(1_000_000);
        acme.transact(
                "spoil",
                tx -> tx.update(
                        "delete from tally.exchange_posting where id in"
                                + " ('id-10', 'id-20', 'id-30', 'id-40', 'id-50', 'id-60', 'id-70', 'id-80', 'id-90', 'id-100')"));
        long begin = System.nanoTime();
        Reconciliation found = TransportContract.difference(acme, globex);

        System.out.printf("reconciled 1,000,000 in %.1f s%n", (System.nanoTime() - begin) / 1e9);
        assertThat(found.differences()).hasSize(10);
        assertThat(found.questions()).isLessThanOrEqualTo(1 + 10 * 3);
    }

    private void spoil() {
        globex.transact("lose one", tx -> tx.update("delete from tally.exchange_received where id = 'id-1'"));
        acme.transact("lose one", tx -> tx.update("delete from tally.exchange_posting where id = 'id-2'"));
        globex.transact(
                "change one",
                tx -> tx.update("update tally.exchange_received set processing = 'REJECTED' where id = 'id-3'"));
        globex.transact("change one", tx -> tx.update("""
                update tally.exchange_received
                set outcome_digest = sha256('other')
                where id = 'id-4'
                """));
    }

    /** Both sides have so many settled postings of several days. */
    private void settle(int number) {
        acme.transact("post", SessionLimits.LONG, tx -> tx.update("""
                insert into tally.exchange_posting (producer, id, consumer, ack, processing, attempt, inception_datum, deadline,
                    fingerprint, payload, signature, outcome_digest, settled_at, audit)
                select 'acme', 'id-' || i, 'globex', 'ACKED_RESULT', 'OK', 1,
                    timestamptz '2026-01-01 12:00:00Z' + i % 10 * interval '1 day', now(),
                    sha256(convert_to(i::text, 'UTF8')), '', '', sha256('done'), now(), ''
                from generate_series(1, ?) i
                """, number));
        globex.transact("receive", SessionLimits.LONG, tx -> tx.update("""
                insert into tally.exchange_received (consumer, producer, id, ack, processing, inception_datum, deadline,
                    fingerprint, payload, signature, receipt, result_signature, outcome_digest, settled_at,
                    audit)
                select 'globex', 'acme', 'id-' || i, 'ACKED_RESULT', 'OK',
                    timestamptz '2026-01-01 12:00:00Z' + i % 10 * interval '1 day', now(),
                    sha256(convert_to(i::text, 'UTF8')), '', '', '', '', sha256('done'), now(), ''
                from generate_series(1, ?) i
                """, number));
    }
}
