package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.cli.Run;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Role;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
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
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.server.ExchangeConfig;
import dev.tallystick.server.ServerSchema;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
        assertThat(reconcile().out()).contains("MISSING_AT_PARTNER acme → globex invoice-7: here OK, there -");
        assertThat(on("acme", "issues", "--json").out()).contains("\"kind\":\"MISSING_AT_PARTNER\"");
    }

    @Test
    void an_operator_does_the_same_through_the_server() throws Exception {
        key("acme");
        key("globex");
        for (TestPostgres each : List.of(acmes, globexs)) {
            Database database = Database.on(each.dataSource());
            ServerSchema.ALL.migrate(database);
            Partners partners = new Partners(database);
            partners.trust(ACME, readKey("acme").publicKey());
            partners.trust(GLOBEX, readKey("globex").publicKey());
        }
        try (TallyServer globex = TallyServer.start(settings("globex", globexs)
                        .withExchange(
                                new ExchangeConfig(GLOBEX, readKey("globex"), Map.of(), ExchangeSettings.DEFAULT)));
                TallyServer acme = TallyServer.start(settings("acme", acmes)
                        .withExchange(new ExchangeConfig(
                                ACME,
                                readKey("acme"),
                                Map.of(GLOBEX, new Partner(globex.address(), tokenForAcme(globex))),
                                ExchangeSettings.DEFAULT)))) {
            acme.exchange()
                    .producer()
                    .post(new Draft(GLOBEX, new MessageId("invoice-7"), Payload.of("pay")))
                    .join();
            new Issues(Database.on(acmes.dataSource()), ACME)
                    .raise(Arrays.stream(IssueKind.values())
                            .map(kind -> Issue.found(kind, ACME, GLOBEX, new MessageId("i-" + kind), "detail"))
                            .toList());

            assertThat(at(acme, "ls").out()).contains("acme → globex invoice-7: NACKED_POSTING, PENDING");
            assertThat(at(acme, "replay", "invoice-7").out()).isEqualTo("published again soon\n");
            assertThat(at(acme, "show", "invoice-7").out()).contains("recorded", "replay requested");
            assertThat(at(acme, "show", "invoice-8").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
            assertThat(at(acme, "replay", "invoice-8").exitCode()).isEqualTo(ExitCode.CONFLICT.code());
            Run issues = at(acme, "issues");
            assertThat(issues.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
            assertThat(IssueKind.values())
                    .allSatisfy(kind -> assertThat(issues.out()).contains(" " + kind + " "));
            assertThat(at(acme, "export", "invoice-7").out()).startsWith("{");
            // Globex has no handler, and so has not recorded it.
            Run differing = at(acme, "reconcile", "--with", "globex");
            assertThat(differing.out()).contains("MISSING_AT_PARTNER acme → globex invoice-7: here PENDING, there -");
            assertThat(differing.exitCode()).isEqualTo(ExitCode.CONFLICT.code());
            assertThat(at(acme, "reconcile", "--with", "initech").exitCode()).isEqualTo(ExitCode.NOT_FOUND.code());
        }
    }

    private static String tokenForAcme(TallyServer globex) throws IOException {
        TallyClient admin = new TallyClient(
                globex.address(), Files.readString(globex.adminToken()).strip());
        admin.members().put("acme", Role.PARTNER);
        return admin.tokens().issue("acme", null).token();
    }

    private ServerSettings settings(String name, TestPostgres postgres) throws IOException {
        return ServerSettings.of(Files.createDirectories(files.resolve("data-" + name)), Map.of())
                .at(ServerSettings.LOOPBACK, 0)
                .on(postgres.url())
                .withConnections(ServerSettings.FEWEST_CONNECTIONS);
    }

    private static Run at(TallyServer server, String command, String... more) {
        List<String> arguments = new ArrayList<>(List.of("exchange", command));
        arguments.addAll(List.of(more));
        arguments.addAll(List.of(
                "--server",
                server.address().toString(),
                "--token-file",
                server.adminToken().toString()));
        return Run.tally(arguments.toArray(String[]::new));
    }

    private SigningKey readKey(String name) throws IOException {
        return SigningKey.parse(Files.readString(files.resolve(name)));
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
                        new Identity(ACME, "1", readKey("acme")),
                        new Partners(acme),
                        transport,
                        ExchangeSettings.DEFAULT);
                Consumer consumer = new Consumer(
                        globex,
                        globexsCommits,
                        new Identity(GLOBEX, "1", readKey("globex")),
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
