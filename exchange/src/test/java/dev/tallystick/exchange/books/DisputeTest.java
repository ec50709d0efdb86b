package dev.tallystick.exchange.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.TransportContract;
import dev.tallystick.exchange.books.Evidence.Proof;
import dev.tallystick.exchange.books.Reconciliation.Difference;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Globex decided a posting, and says otherwise today. The books show it, and the bundle that acme holds settles it. */
class DisputeTest {

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    private static final MessageId ID = new MessageId("1");

    private final Transport transport = new PostgresTransport(Database.on(acmes.dataSource()), "test");
    private final Party acme = Party.acme(acmes.dataSource());
    private final Party globex = Party.globex(globexs.dataSource());

    @BeforeEach
    void exchange() {
        globex.consuming(transport);
        Producer producer = acme.producing(transport, Party.FAST);
        producer.request(Party.order("1")).join();
        TransportContract.awaitSettled(acme, globex);
    }

    @AfterEach
    void close() {
        acme.close();
        globex.close();
        transport.close();
    }

    @Test
    void a_partner_that_denies_a_posting_is_refuted_by_its_own_signatures() {
        globex.database().transact("deny", tx -> tx.update("delete from tally.exchange_received"));

        assertThat(differences())
                .extracting(Difference::id, Difference::kind)
                .containsExactly(tuple("1", IssueKind.MISSING_AT_PARTNER));
        assertBundleProvesTheOutcome();
    }

    @Test
    void a_partner_that_alters_an_outcome_is_refuted_by_its_own_signatures() {
        globex.database().transact("alter", tx -> tx.update("""
                update tally.exchange_received
                set processing = 'REJECTED', reason = 'never', outcome = '', outcome_digest = sha256('never')
                """));

        assertThat(differences())
                .extracting(Difference::id, Difference::kind, Difference::ours, Difference::theirs)
                .containsExactly(tuple("1", IssueKind.BOOKS_DIFFER, "OK", "REJECTED"));
        assertBundleProvesTheOutcome();
        Evidence theirs = globex.records()
                .received(Party.ACME, ID, globex.partners())
                .orElseThrow()
                .verify(Party.ACME_KEY.publicKey(), Party.GLOBEX_KEY.publicKey());
        assertThat(theirs.proven()).containsExactly(Proof.POSTING, Proof.RECEIPT);
        assertThat(theirs.isSound()).isFalse();
    }

    @Test
    void a_partner_restored_from_yesterday_is_reminded_by_the_bundle() {
        globex.database().transact("restore the backup", tx -> tx.update("""
                update tally.exchange_received
                set ack = 'ACKED_POSTING', processing = 'PENDING', outcome_digest = null, result_signature = null,
                    countersignature = null, settled_at = null, due_at = null, publications = 0
                """));

        assertThat(differences())
                .extracting(Difference::id, Difference::kind, Difference::ours, Difference::theirs)
                .containsExactly(tuple("1", IssueKind.BOOKS_DIFFER, "OK", "PENDING"));
        assertBundleProvesTheOutcome();
    }

    private List<Difference> differences() {
        return TransportContract.difference(acme.database(), globex.database()).differences();
    }

    private void assertBundleProvesTheOutcome() {
        Bundle bundle = Bundle.parse(
                acme.records().posted(ID, acme.partners()).orElseThrow().toJson());
        Bundle.Result result = Objects.requireNonNull(bundle.result());

        assertThat(bundle.verify(Party.ACME_KEY.publicKey(), Party.GLOBEX_KEY.publicKey())
                        .proven())
                .containsExactly(Proof.values());
        assertThat(result.processing()).isEqualTo(ProcessingStatus.OK);
        assertThat(result.payload()).isEqualTo(Payload.of("done order 1"));
    }
}
