package dev.tallystick.exchange.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.message.PostingRef;
import dev.tallystick.exchange.message.Statement;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.producer.Settled;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UnverifiedTest {

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
        Unverified unverified = new Unverified(Party.ACME, new Issues(database, Party.ACME));
        Fingerprint fingerprint = Statement.fingerprint(Payload.EMPTY, null);
        PostingRef ref = new PostingRef(Party.ACME, Party.GLOBEX, new MessageId("1"), fingerprint, "");
        DefiniteFailureException away =
                new DefiniteFailureException(DefiniteFailureException.Reason.UNAVAILABLE, "away", null);

        assertThatThrownBy(() -> unverified.answer(ref, new byte[] {1}, CompletableFuture.failedFuture(away)))
                .isSameAs(away);
        assertThat(new Issues(database, Party.ACME).list(true, 10)).isEmpty();
    }
}
