package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tallystick.client.Postings;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.HttpBooks;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Reconciliation;
import dev.tallystick.exchange.books.Reconciliation.Difference;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.consumer.Outcome;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.signing.SigningKey;
import dev.tallystick.exchange.transport.HttpTransport;
import dev.tallystick.exchange.transport.HttpTransport.Partner;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.TransportException;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two companies, each with its own server: acme's jobs ask, and a process on globex's database answers. */
class ExchangeServerTest {

    private static final Participant ACME = new Participant("acme");
    private static final Participant GLOBEX = new Participant("globex");
    private static final SigningKey ACME_KEY = SigningKey.generate();
    private static final SigningKey GLOBEX_KEY = SigningKey.generate();
    private static final ExchangeSettings FAST = ExchangeSettings.DEFAULT.withIntervals(
            Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(2), Duration.ofMillis(100));

    private static final String PURCHASE = """
            workflow: purchase
            nodes:
              begin:
                kind: trigger
                next: order
              order:
                kind: worker
                participant: globex
                input: "input"
            output: order
            """;

    @RegisterExtension
    static final TestPostgres acmes = ServerUnderTest.tables(TestPostgres.perTest());

    @RegisterExtension
    static final TestPostgres globexs = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path directory;

    private TallyServer acme;
    private TallyServer globex;
    private URI acmesAddress;
    private URI globexsAddress;
    private String tokenAtAcme;
    private String tokenAtGlobex;
    private HttpTransport handlersTransport;
    private GroupCommitter handlersCommits;
    private Consumer handler;

    @BeforeEach
    void start() throws Exception {
        for (TestPostgres each : List.of(acmes, globexs)) {
            Partners partners = new Partners(Database.on(each.dataSource()));
            partners.trust(ACME, ACME_KEY.publicKey());
            partners.trust(GLOBEX, GLOBEX_KEY.publicKey());
        }
        // The first start tells the addresses, and gives each a token for the other.
        try (TallyServer first = TallyServer.start(settings(acmes, "acme"));
                TallyServer second = TallyServer.start(settings(globexs, "globex"))) {
            acmesAddress = first.address();
            globexsAddress = second.address();
            tokenAtAcme = ServerUnderTest.memberOf(admin("acme", acmesAddress), "globex", "partner")
                    .token();
            tokenAtGlobex = ServerUnderTest.memberOf(admin("globex", globexsAddress), "acme", "partner")
                    .token();
        }
        acme = startAcme();
        globex = startGlobex();
        Database database = Database.on(globexs.dataSource());
        handlersCommits = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        handlersTransport = new HttpTransport(
                HttpClient.newHttpClient(),
                Map.of(ACME, new Partner(acmesAddress, tokenAtAcme)),
                new PostgresTransport(database, "handler"));
        handler = new Consumer(
                database,
                handlersCommits,
                new Identity(GLOBEX, "handler", GLOBEX_KEY),
                new Partners(database),
                handlersTransport,
                (request, tx) -> request.payload().text().contains("nothing")
                        ? Outcome.rejected("we do not sell nothing")
                        : Outcome.ok("{\"ordered\":" + request.payload().text() + "}"),
                FAST);
        handler.start();
        admin("acme", acmesAddress).put("/v1/workflows/purchase/1", graph());
    }

    private static String graph() {
        return "{\"graph\":" + Json.of(PURCHASE).canonical() + "}";
    }

    @AfterEach
    void stop() {
        handler.close();
        handlersTransport.close();
        handlersCommits.close();
        acme.close();
        globex.close();
    }

    private ServerSettings settings(TestPostgres postgres, String name) throws Exception {
        return ServerUnderTest.settings(postgres.url(), Files.createDirectories(directory.resolve(name)));
    }

    private TallyServer startAcme() throws Exception {
        return TallyServer.start(settings(acmes, "acme")
                .at(ServerSettings.LOOPBACK, acmesAddress.getPort())
                .withExchange(new ExchangeConfig(
                        ACME, ACME_KEY, Map.of(GLOBEX, new Partner(globexsAddress, tokenAtGlobex)), FAST)));
    }

    private TallyServer startGlobex() throws Exception {
        return TallyServer.start(settings(globexs, "globex")
                .at(ServerSettings.LOOPBACK, globexsAddress.getPort())
                .withExchange(new ExchangeConfig(
                        GLOBEX, GLOBEX_KEY, Map.of(ACME, new Partner(acmesAddress, tokenAtAcme)), FAST)));
    }

    private Http admin(String name, URI address) {
        return new Http(address, ServerUnderTest.adminToken(directory.resolve(name)));
    }

    private Http acmesAdmin() {
        return admin("acme", acmesAddress);
    }

    private String submit(String what) {
        return acmesAdmin()
                .submit("key-" + what, "{\"workflow\":\"purchase\",\"input\":\"" + what + "\"}")
                .text("job_id");
    }

    private Http.Reply result(String job) {
        return acmesAdmin().get("/v1/jobs/" + job + "/result?wait=20");
    }

    @Test
    void a_job_of_one_server_ends_with_the_outcome_of_the_partner_and_both_sides_show_it() throws Exception {
        assertThat(result(submit("tea")).body()).contains("{\"ordered\":\"tea\"}");
        assertThat(result(submit("nothing")).body()).contains("we do not sell nothing");

        TallyClient client = new TallyClient(acmesAddress, ServerUnderTest.adminToken(directory.resolve("acme")));
        List<Postings.Posting> postings = client.postings().list(true, 10);
        assertThat(postings)
                .extracting(Postings.Posting::consumer, Postings.Posting::processingStatus)
                .containsExactlyInAnyOrder(tuple("globex", "OK"), tuple("globex", "REJECTED"));
        String id = postings.getFirst().id();
        assertThat(client.postings().find(id).getFirst().audit()).isNotEmpty();
        assertThat(client.postings().issues(false, 10)).isEmpty();
        Bundle bundle = Bundle.parse(client.postings().bundle(id, null).canonical());
        assertThat(bundle.verify(ACME_KEY.publicKey(), GLOBEX_KEY.publicKey()).isSound())
                .isTrue();
        assertThat(acmesAdmin().get("/metrics").body())
                .contains("tally_exchange_open_postings", "tally_exchange_issues_result_differs");
    }

    @Test
    void what_is_posted_while_the_partner_is_down_arrives_when_it_is_back() throws Exception {
        globex.close();
        String job = submit("tea");
        Eventually.holds(
                "an attempt that failed",
                () -> acmesAdmin().get("/v1/exchange/postings").body().contains("\"attempts\":2"));
        globex = startGlobex();

        assertThat(result(job).body()).contains("{\"ordered\":\"tea\"}");
    }

    @Test
    void books_are_compared_over_the_wire() {
        result(submit("tea"));
        result(submit("milk"));
        Database acmes = Database.on(ExchangeServerTest.acmes.dataSource());
        HttpBooks theirs = new HttpBooks(
                HttpClient.newHttpClient(), new Partner(globexsAddress, tokenAtGlobex), ACME, HttpBooks.Side.RECEIVED);
        assertThat(Reconciliation.between(DatabaseBooks.ofProducer(acmes, ACME, GLOBEX), theirs)
                        .differences())
                .isEmpty();

        String altered = acmes.transact("alter", tx -> tx.query("""
                                update tally.exchange_posting
                                set outcome_digest = sha256('other')
                                where id = (select min(id) from tally.exchange_posting)
                                returning id
                                """, row -> row.getString("id")))
                .getFirst();
        Reconciliation found = Reconciliation.between(DatabaseBooks.ofProducer(acmes, ACME, GLOBEX), theirs);
        assertThat(found.differences())
                .extracting(Difference::id, Difference::kind)
                .containsExactly(tuple(altered, IssueKind.BOOKS_DIFFER));
        assertThat(found.questions()).isEqualTo(4);
    }

    @Test
    void a_partner_sees_its_own_books_and_nothing_else() {
        HttpBooks ofAnother = new HttpBooks(
                HttpClient.newHttpClient(),
                new Partner(globexsAddress, tokenAtGlobex),
                new Participant("initech"),
                HttpBooks.Side.RECEIVED);
        assertThatThrownBy(ofAnother::roots)
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("404");
        Http partner = new Http(globexsAddress, tokenAtGlobex);
        assertThat(partner.get("/v1/exchange/postings").status()).isEqualTo(403);
        assertThat(partner.get("/v1/jobs").status()).isEqualTo(403);
        assertThat(partner.post("/v1/exchange/postings/initech", "{\"packet\":\"\"}")
                        .status())
                .isEqualTo(404);
        assertThat(partner.post("/v1/exchange/postings/globex", "{\"packet\":\"AAAA\"}")
                        .status())
                .isEqualTo(400);
    }
}
