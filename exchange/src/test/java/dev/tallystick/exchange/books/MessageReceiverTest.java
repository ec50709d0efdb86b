package dev.tallystick.exchange.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.message.AckStatus;
import dev.tallystick.exchange.message.Message;
import dev.tallystick.exchange.message.MessageFormat;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.ProcessingStatus;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.message.Status;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.producer.Settled;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MessageReceiverTest {

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    @Test
    void a_message_that_the_database_refuses_becomes_an_issue_and_the_others_are_answered() {
        try (Transport transport = new PostgresTransport(Database.on(acmes.dataSource()), "test");
                Party acme = Party.acme(acmes.dataSource());
                Party globex = Party.globex(globexs.dataSource())) {
            globex.database().transact("refuse one", tx -> tx.update("""
                    alter table tally.exchange_received add constraint refuses_one check (id <> 'refused')
                    """));
            globex.consuming(transport);
            Producer producer = acme.producing(transport, Party.FAST);
            CompletableFuture<Settled> refused = producer.request(Party.order("refused"));

            assertThat(producer.request(Party.order("good")).join()).isInstanceOf(Settled.Ok.class);
            Eventually.holds("an issue", () -> globex.openIssues().contains(IssueKind.UNVERIFIED));
            assertThat(globex.issues().list(false, 10))
                    .anySatisfy(issue -> assertThat(issue.detail()).contains("acme → globex refused"));
            assertThat(refused).isNotDone();
        }
    }

    @Test
    void other_failures_are_not_the_messages_fault() {
        Database database = Database.on(acmes.dataSource());
        Issues issues = new Issues(database, Party.ACME);
        DefiniteFailureException away =
                new DefiniteFailureException(DefiniteFailureException.Reason.UNAVAILABLE, "away", null);

        Partners partners = new Partners(database);
        MessageReceiver<String> failing = new MessageReceiver<>(Party.ACME, partners, database, issues) {
            @Override
            protected Checked<String> check(Message message, byte[] bytes) {
                return new Checked.Genuine<>(() -> CompletableFuture.failedFuture(away));
            }

            @Override
            protected void recorded(List<Recorded<String>> all) {
                throw new AssertionError("recorded " + all);
            }
        };

        assertThatThrownBy(() -> failing.receive(List.of(receipt()))).isSameAs(away);
        assertThat(issues.list(true, 10)).isEmpty();
    }

    private static byte[] receipt() {
        PostingRef ref = new PostingRef(
                Party.ACME, Party.GLOBEX, new MessageId("1"), Statement.fingerprint(Payload.EMPTY, null), "");
        BatchSignature signature = BatchSignature.sign(Party.GLOBEX_KEY, List.of(Statement.ofReceipt(ref)))
                .getFirst();
        return MessageFormat.write(new Message(
                ref,
                new Status(AckStatus.ACKED_POSTING, ProcessingStatus.PENDING),
                0,
                Instant.EPOCH,
                null,
                new Message.Body.Receipt(signature),
                List.of()));
    }
}
