package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.message.Payload;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.producer.Draft;
import dev.tallystick.exchange.producer.Producer;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two participants exchange a posting, and an operator looks at both sides. */
class ExchangeCommandTest {

    @RegisterExtension
    static final TestPostgres acmes = TestPostgres.perTest();

    @RegisterExtension
    static final TestPostgres globexs = TestPostgres.perTest();

    private static final Participant ACME = new Participant("acme");
    private static final Participant GLOBEX = new Participant("globex");

    @TempDir
    Path files;

    @Test
    void an_operator_lists_shows_reconciles_exports_and_verifies() throws IOException {
        key("acme");
        key("globex");
        for (String party : new String[] {"acme", "globex"}) {
            for (String trusted : new String[] {"acme", "globex"}) {
                assertThat(on(
                                        party,
                                        "trust",
                                        trusted,
                                        files.resolve(trusted + ".pub").toString())
                                .exitCode())
                        .isZero();
            }
        }
        exchange();

        assertThat(on("acme", "ls").out()).isEqualTo("none\n");
        assertThat(on("acme", "ls", "--all").out()).contains("acme → globex invoice-7: ACKED_RESULT, OK");
        assertThat(on("globex", "show", "invoice-7").out()).contains("received", "handled, OK", "result acknowledged");
        assertThat(on("globex", "show", "invoice-8").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(on("acme", "replay", "invoice-7").exitCode()).isEqualTo(ExitCode.CONFLICT.code());
        assertThat(on("acme", "issues").out()).isEqualTo("none\n");
        assertThat(reconcile().out()).isEqualTo("the books agree\n");

        Path bundle = files.resolve("bundle.json");
        Files.writeString(
                bundle, on("globex", "export", "invoice-7", "--from", "acme").out());
        Run verified = verify(bundle, "acme", "globex");
        assertThat(verified.exitCode()).as(verified.err()).isZero();
        assertThat(verified.out()).contains("proven: p decided this outcome", "proven: n recorded p's decision");
        assertThat(verify(bundle, "globex", "acme").exitCode()).isEqualTo(ExitCode.CONFLICT.code());

        Database.on(globexs.dataSource())
                .transact("lose it", tx -> tx.update("delete from tally.exchange_received where id = 'invoice-7'"));
        assertThat(reconcile().out()).contains("MISSING_AT_PARTNER invoice-7: here OK, there -");
        assertThat(on("acme", "issues", "--json").out()).contains("\"kind\":\"MISSING_AT_PARTNER\"");
    }

    private void key(String name) {
        Run made = Run.tally("exchange", "key", files.resolve(name).toString());
        assertThat(made.exitCode()).as(made.err()).isZero();
    }

    private Run verify(Path bundle, String producer, String consumer) {
        return Run.tally(
                "exchange",
                "verify",
                bundle.toString(),
                "--n-key",
                files.resolve(producer + ".pub").toString(),
                "--p-key",
                files.resolve(consumer + ".pub").toString());
    }

    private static Run reconcile() {
        return on("acme", "reconcile", "--with", "globex", "--partner-postgres", globexs.url());
    }

    private static Run on(String party, String command, String... more) {
        String[] arguments = new String[more.length + 6];
        arguments[0] = "exchange";
        arguments[1] = command;
        arguments[2] = "--as";
        arguments[3] = party;
        arguments[4] = "--postgres";
        arguments[5] = party.equals("acme") ? acmes.url() : globexs.url();
        System.arraycopy(more, 0, arguments, 6, more.length);
        return Run.tally(arguments);
    }

    private void exchange() throws IOException {
        Database acme = Database.on(acmes.dataSource());
        Database globex = Database.on(globexs.dataSource());
        ExchangeSchema.migrations().migrate(globex);
        try (PostgresTransport transport = new PostgresTransport(Database.on(acmes.dataSource()), "test");
                GroupCommitter acmesCommits = new GroupCommitter(acme, GroupCommitter.Limits.DEFAULT);
                GroupCommitter globexsCommits = new GroupCommitter(globex, GroupCommitter.Limits.DEFAULT);
                Producer producer = new Producer(
                        acme,
                        acmesCommits,
                        new Identity(ACME, "1", SigningKey.parse(Files.readString(files.resolve("acme")))),
                        new Partners(acme),
                        transport,
                        ExchangeSettings.DEFAULT);
                Consumer consumer = new Consumer(
                        globex,
                        globexsCommits,
                        new Identity(GLOBEX, "1", SigningKey.parse(Files.readString(files.resolve("globex")))),
                        new Partners(globex),
                        transport,
                        (request, tx) -> Outcome.ok("paid"),
                        ExchangeSettings.DEFAULT)) {
            consumer.start();
            producer.start();
            producer.request(new Draft(GLOBEX, new MessageId("invoice-7"), Payload.of("pay")))
                    .join();
            Eventually.holds(
                    "the result to be acknowledged",
                    () -> on("globex", "ls").out().equals("none\n"));
        }
    }
}
