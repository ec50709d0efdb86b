package dev.tallystick.server;

import static dev.tallystick.server.TwoCompanies.ACME;
import static dev.tallystick.server.TwoCompanies.ACME_KEY;
import static dev.tallystick.server.TwoCompanies.FAST;
import static dev.tallystick.server.TwoCompanies.GLOBEX;
import static dev.tallystick.server.TwoCompanies.GLOBEX_KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tallystick.core.Json;
import dev.tallystick.core.api.ExchangeApi.DifferenceView;
import dev.tallystick.core.api.ExchangeApi.IssueView;
import dev.tallystick.core.api.ExchangeApi.PostingView;
import dev.tallystick.exchange.books.Bundle;
import dev.tallystick.exchange.books.DatabaseBooks;
import dev.tallystick.exchange.books.HttpBooks;
import dev.tallystick.exchange.books.Issue;
import dev.tallystick.exchange.books.IssueKind;
import dev.tallystick.exchange.books.Issues;
import dev.tallystick.exchange.books.Reconciliation;
import dev.tallystick.exchange.books.Reconciliation.Difference;
import dev.tallystick.exchange.consumer.Consumer;
import dev.tallystick.exchange.message.MessageId;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.partner.Partners;
import dev.tallystick.exchange.transport.HttpTransport;
import dev.tallystick.exchange.transport.PostgresTransport;
import dev.tallystick.exchange.transport.TransportException;
import dev.tallystick.log.note.Checkpoint;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two companies, each with its own server: acme's jobs ask, and globex answers. */
class ExchangeServerTest {

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

    private TwoCompanies companies;
    private TwoCompanies.Company acme;
    private TwoCompanies.Company globex;

    @BeforeEach
    void start() throws Exception {
        companies = new TwoCompanies(acmes, globexs, directory);
        acme = companies.acme();
        globex = companies.globex();
        acme.admin()
                .put(
                        "/v1/workflows/purchase/1",
                        "{\"graph\":" + Json.of(PURCHASE).canonical() + "}");
    }

    @AfterEach
    void stop() {
        companies.close();
    }

    private String submit(String what) {
        return acme.admin()
                .submit("key-" + what, "{\"workflow\":\"purchase\",\"input\":\"" + what + "\"}")
                .text("job_id");
    }

    private String result(String job) {
        return acme.admin().get("/v1/jobs/" + job + "/result?wait=20").body();
    }

    @Test
    void a_job_of_one_server_ends_with_the_outcome_of_the_partner_and_both_sides_show_it() throws Exception {
        companies.answer();
        assertThat(result(submit("tea"))).contains("{\"ordered\":\"tea\"}");
        assertThat(result(submit("nothing"))).contains("we do not sell nothing");

        List<PostingView> postings = acme.postings().list(true, 10);
        assertThat(postings)
                .extracting(PostingView::p, PostingView::processingStatus)
                .containsExactlyInAnyOrder(tuple("globex", "OK"), tuple("globex", "REJECTED"));
        String id = postings.getFirst().id();
        assertThat(acme.postings().find(id).getFirst().audit()).isNotEmpty();
        assertThat(acme.postings().issues(false, 10)).isEmpty();
        Bundle bundle = Bundle.parse(acme.postings().bundle(id, null).canonical());
        assertThat(bundle.verify(ACME_KEY.publicKey(), GLOBEX_KEY.publicKey()).isSound())
                .isTrue();
        assertThat(acme.admin().get("/metrics").body()).contains("tally_exchange_open_postings 0.0");
    }

    @Test
    void a_posting_carries_the_newest_checkpoint_of_the_servers_log() {
        companies.answer();
        AtomicInteger number = new AtomicInteger();
        Bundle bundle = Eventually.value(
                "a posting after the first checkpoint",
                Duration.ofSeconds(30),
                () -> {
                    result(submit("tea-" + number.incrementAndGet()));
                    String newest = acme.postings().list(true, 1).getFirst().id();
                    return Bundle.parse(acme.postings().bundle(newest, null).canonical());
                },
                each -> !each.ref().checkpoint().isEmpty());

        SignedNote note = SignedNote.parse(bundle.ref().checkpoint());
        assertThat(Checkpoint.parse(note.text()).size()).isPositive();
        assertThat(bundle.verify(ACME_KEY.publicKey(), GLOBEX_KEY.publicKey()).isSound())
                .isTrue();
    }

    @Test
    void a_process_beside_the_server_answers_as_well() {
        Database database = globex.database();
        try (GroupCommitter commits = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
                HttpTransport transport = new HttpTransport(
                        HttpClient.newHttpClient(),
                        Map.of(ACME, acme.forPartner()),
                        new PostgresTransport(database, "handler"));
                Consumer handler = new Consumer(
                        database,
                        commits,
                        new Identity(GLOBEX, "handler", GLOBEX_KEY),
                        new Partners(database),
                        transport,
                        TwoCompanies::handle,
                        FAST)) {
            handler.start();

            assertThat(result(submit("tea"))).contains("{\"ordered\":\"tea\"}");
        }
    }

    @Test
    void what_is_posted_while_the_partner_is_down_arrives_when_it_is_back() {
        globex.close();
        String job = submit("tea");
        Eventually.holds(
                "an attempt that failed",
                () -> acme.postings().list(false, 1).stream().anyMatch(posting -> posting.attempts() >= 2));
        globex.start(acme);
        companies.answer();

        assertThat(result(job)).contains("{\"ordered\":\"tea\"}");
    }

    @Test
    void a_partner_that_sends_more_than_is_handled_is_asked_to_wait_and_nothing_is_lost() {
        globex.database().transact("let much wait", tx -> tx.update("""
                insert into tally.exchange_packet (topic, subject, messages, body)
                select 'postings', 'globex', 500, ''
                from generate_series(1, 41)
                """));
        Http.Reply refused = new Http(globex.address(), globex.forPartner().token())
                .post("/v1/exchange/postings/globex", "{\"packet\":\"AAAAAQA=\"}");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.text("code")).isEqualTo("busy");
        assertThat(refused.header("Retry-After")).isEqualTo("2");
        String job = submit("tea");
        Eventually.holds(
                "a posting that was not taken",
                () -> !acme.admin().get("/metrics").body().contains("tally_exchange_unpublished_total 0.0"));

        companies.answer();

        assertThat(result(job)).contains("{\"ordered\":\"tea\"}");
    }

    @Test
    void an_operator_compares_the_books_of_both_servers_and_differences_become_issues() {
        companies.answer();
        result(submit("tea"));
        result(submit("milk"));
        assertThat(acme.postings().reconcile("globex")).isEmpty();

        String altered = acme.database()
                .transact("alter", tx -> tx.query("""
                                update tally.exchange_posting
                                set outcome_digest = sha256('other')
                                where id = (select min(id) from tally.exchange_posting)
                                returning id
                                """, row -> row.getString("id")))
                .getFirst();
        assertThat(acme.postings().reconcile("globex"))
                .extracting(
                        DifferenceView::kind,
                        DifferenceView::n,
                        DifferenceView::id,
                        DifferenceView::here,
                        DifferenceView::there)
                .containsExactly(tuple("BOOKS_DIFFER", "acme", altered, "OK", "OK"));
        assertThat(acme.postings().issues(false, 10))
                .extracting(IssueView::kind, IssueView::id)
                .containsExactly(tuple("BOOKS_DIFFER", altered));
        assertThat(acme.admin().get("/metrics").body()).contains("tally_exchange_issues_books_differ 1.0");

        globex.close();
        assertThat(acme.admin()
                        .post("/v1/exchange/partners/globex/reconcile", "")
                        .text("code"))
                .isEqualTo("partner_unavailable");
        assertThat(acme.admin()
                        .post("/v1/exchange/partners/initech/reconcile", "")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void every_kind_of_issue_is_listed_and_counted() {
        new Issues(acme.database(), ACME)
                .raise(Arrays.stream(IssueKind.values())
                        .map(kind -> Issue.found(kind, ACME, GLOBEX, new MessageId("id-" + kind), "detail"))
                        .toList());

        assertThat(acme.postings().issues(false, 100))
                .extracting(IssueView::kind)
                .containsExactlyInAnyOrder(
                        Arrays.stream(IssueKind.values()).map(Enum::name).toArray(String[]::new));
        String metrics = acme.admin().get("/metrics").body();
        assertThat(IssueKind.values())
                .allSatisfy(kind -> assertThat(metrics)
                        .contains("tally_exchange_issues_" + kind.name().toLowerCase(Locale.ROOT) + " 1.0"));
    }

    @Test
    void books_are_compared_over_the_wire_with_few_questions() {
        companies.answer();
        result(submit("tea"));
        result(submit("milk"));
        HttpBooks theirs =
                new HttpBooks(HttpClient.newHttpClient(), globex.forPartner(), ACME, HttpBooks.Side.RECEIVED);
        acme.database().transact("alter", tx -> tx.update("""
                update tally.exchange_posting
                set outcome_digest = sha256('other')
                where id = (select min(id) from tally.exchange_posting)
                """));

        Reconciliation found = Reconciliation.between(DatabaseBooks.ofProducer(acme.database(), ACME, GLOBEX), theirs);
        assertThat(found.differences()).extracting(Difference::kind).containsExactly(IssueKind.BOOKS_DIFFER);
        assertThat(found.questions()).isEqualTo(4);
    }

    @Test
    void a_partner_sees_its_own_books_and_nothing_else() {
        HttpBooks ofAnother = new HttpBooks(
                HttpClient.newHttpClient(), globex.forPartner(), new Participant("initech"), HttpBooks.Side.RECEIVED);
        assertThatThrownBy(ofAnother::roots)
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("404");
        Http partner = new Http(globex.address(), globex.forPartner().token());
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
