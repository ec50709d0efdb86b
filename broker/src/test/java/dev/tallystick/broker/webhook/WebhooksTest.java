package dev.tallystick.broker.webhook;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.BOB;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tallystick.broker.AcceptTest;
import dev.tallystick.broker.Broker;
import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.CompletionAnnouncer;
import dev.tallystick.broker.JobHook;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Json;
import dev.tallystick.core.Role;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WebhooksTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private record Called(String path, String signature, String messageId, byte[] body) {}

    private final Database database = Database.on(postgres.dataSource());
    private final BlockingQueue<Called> calls = new LinkedBlockingQueue<>();
    private final JobHook jobs = new JobHook("order");
    private final Broker broker = open(InetAddress::isLoopbackAddress);
    private volatile int status = 204;
    private HttpServer server;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            calls.add(new Called(
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders().getFirst("Tally-Signature"),
                    exchange.getRequestHeaders().getFirst("Tally-Message-Id"),
                    exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
        broker.close();
    }

    @Test
    void a_message_is_sent_to_the_webhook_signed_and_once() {
        Registration.Registered hook = registered(ALERTS, "/hook?a=b");
        AcceptedMessage message = AcceptTest.accepted(broker.accept(BOB, text("k", ALERTS, "hello ä")));

        TestBroker.call(broker);
        TestBroker.call(broker);

        Called called = calls.remove();
        assertThat(calls).isEmpty();
        assertThat(called.path()).isEqualTo("/hook?a=b");
        assertThat(called.messageId()).isEqualTo(message.id().toString());
        assertThat(called.signature()).matches("t=[0-9]+,v1=[0-9a-f]{64}");
        long seconds = Long.parseLong(
                called.signature().substring(2, called.signature().indexOf(',')));
        assertThat(called.signature())
                .endsWith(Signature.sign(
                        HexFormat.of().parseHex(hook.secret()),
                        seconds,
                        UUID.fromString(called.messageId()),
                        called.body()));
        Json.ObjectValue body = (Json.ObjectValue) Json.parse(called.body());
        assertThat(body.members())
                .containsEntry("message", Json.of("hello ä"))
                .containsEntry("to", Json.of("topic:alerts"))
                .containsEntry("from", Json.of("bob"));
    }

    @Test
    void a_call_that_fails_is_made_again_later_and_then_not_any_more() {
        broker.webhooks().register(ALICE, ALERTS, url("/"));
        broker.accept(BOB, text("k", ALERTS, "hello"));
        status = 500;
        TestBroker.call(broker);
        assertThat(calls).hasSize(1);
        assertThat(error()).isEqualTo("answered 500");

        status = 200;
        letTimePass();
        TestBroker.call(broker);
        letTimePass();
        TestBroker.call(broker);

        assertThat(calls).hasSize(2);
        assertThat(calls)
                .extracting(Called::messageId)
                .containsOnly(calls.element().messageId());
    }

    @Test
    void calls_are_given_up_in_the_end() {
        broker.webhooks().register(ALICE, ALERTS, url("/"));
        broker.accept(BOB, text("k", ALERTS, "hello"));
        status = 302;
        for (int attempt = 0; attempt < Webhooks.MAX_ATTEMPTS + 3; attempt++) {
            TestBroker.call(broker);
            letTimePass();
        }

        assertThat(calls).hasSize(Webhooks.MAX_ATTEMPTS);
    }

    @Test
    void a_receiver_that_answers_gone_is_not_called_again() {
        broker.webhooks().register(ALICE, ALERTS, url("/"));
        broker.accept(BOB, text("k", ALERTS, "hello"));
        status = Webhooks.GONE;
        TestBroker.call(broker);
        letTimePass();
        TestBroker.call(broker);

        assertThat(calls).hasSize(1);
    }

    @Test
    void pauses_double_up_to_five_minutes() {
        assertThat(broker.webhooks().pause(1)).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        assertThat(broker.webhooks().pause(4)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(8));
        assertThat(broker.webhooks().pause(19)).isBetween(Duration.ofSeconds(150), Duration.ofSeconds(300));
    }

    @Test
    void a_private_address_is_not_called() {
        try (Broker strict = open(AddressPolicy.PUBLIC)) {
            strict.webhooks().register(ALICE, ALERTS, url("/"));
            strict.accept(BOB, text("k", ALERTS, "hello"));

            TestBroker.call(strict);
        }

        assertThat(calls).isEmpty();
        assertThat(error()).contains("not public");
    }

    @Test
    void a_call_that_cannot_even_be_made_is_an_attempt_that_failed_and_ends_no_other() {
        broker.webhooks().register(ALICE, ALERTS, url("/wrong"));
        database.transact("spoil", tx -> tx.update("update tally.webhook set url = 'http://localhost:99999/'"));
        broker.accept(BOB, text("k", ALERTS, "hello"));
        broker.webhooks().register(ALICE, ALERTS, url("/right"));
        for (int attempt = 0; attempt < Webhooks.MAX_ATTEMPTS; attempt++) {
            TestBroker.call(broker);
            assertThat(error()).contains("port out of range");
            letTimePass();
        }
        broker.accept(BOB, text("other", ALERTS, "hello"));

        TestBroker.call(broker);

        assertThat(calls).singleElement().extracting(Called::path).isEqualTo("/right");
        assertThat(attempts()).containsExactlyInAnyOrder(Webhooks.MAX_ATTEMPTS, 1, 1);
    }

    @Test
    void meshes_take_turns_whatever_the_backlog_of_one() {
        broker.webhooks().register(ALICE, ALERTS, url("/"));
        broker.accept(BOB, text("k", ALERTS, "hello"));
        database.transact("build up a backlog", tx -> tx.update("""
                insert into tally.delivery (message_id, inbox, mesh, priority, visible_at)
                select message_id, 'webhook:backlog-' || n, mesh, priority, now() - interval '1 hour'
                from tally.delivery, generate_series(1, 400) n
                where inbox like 'webhook:%'
                """));
        Member carol = new Member("other", "carol", Set.of(Role.MEMBER));
        broker.members().createMesh("other");
        broker.members().create(carol);
        broker.directory().create("other", ALERTS);
        broker.webhooks().register(carol, ALERTS, url("/other"));
        broker.accept(carol, text("k", ALERTS, "hello"));

        List<WebhookStore.Due> batch = database.transact(
                "lease",
                tx -> new WebhookStore()
                        .lease(tx, new InFlightCalls.Now(16, Map.of(), Map.of()), Duration.ofMinutes(1)));

        assertThat(batch).hasSize(16);
        assertThat(batch).extracting(due -> due.delivery().lease().mesh()).containsOnlyOnce("other");
    }

    @Test
    void a_receiver_that_does_not_answer_holds_up_no_other() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            broker.webhooks().register(ALICE, ALERTS, URI.create("http://localhost:" + silent.getLocalPort()));
            for (int i = 0; i < 20; i++) {
                broker.accept(BOB, text("k" + i, ALERTS, "hello"));
            }
            broker.webhooks().register(ALICE, ALERTS, url("/quick"));
            broker.accept(BOB, text("last", ALERTS, "hello"));

            broker.start();

            assertThat(calls.poll(20, TimeUnit.SECONDS)).isNotNull();
            Eventually.holds("the call is recorded", () -> unfinishedAttempts().size() == InFlightCalls.OF_A_RECEIVER);
            assertThat(unfinishedAttempts()).as("not one of these has ended").containsOnly("none");
        }
    }

    /** How the last attempts of open deliveries failed. */
    private List<String> unfinishedAttempts() {
        return database.transact("read errors", tx -> tx.query("""
                        select coalesce(error, 'none') as error
                        from tally.delivery
                        where inbox like 'webhook:%' and attempts > 0 and done_at is null
                        """, row -> row.getString("error")));
    }

    @Test
    void a_deleted_webhook_is_not_called_even_for_open_deliveries() {
        Webhook hook = registered(ALERTS, "/").webhook();
        broker.accept(BOB, text("k", ALERTS, "hello"));

        assertThat(broker.webhooks().list(MESH)).containsExactly(hook);
        assertThat(broker.webhooks().delete("other", hook.id())).isFalse();
        assertThat(broker.webhooks().delete(MESH, hook.id())).isTrue();
        broker.accept(BOB, text("other", ALERTS, "hello"));
        TestBroker.call(broker);

        assertThat(calls).isEmpty();
        assertThat(broker.webhooks().list(MESH)).isEmpty();
    }

    @Test
    void the_webhooks_of_a_member_are_called_as_long_as_it_has_the_role() {
        broker.webhooks().register(ALICE, ALERTS, url("/"));
        broker.accept(BOB, text("on:its:way", ALERTS, "hello"));
        broker.members().changeRoles(MESH, "alice", Set.of(Role.OBSERVER, Role.WORKER), Also.NOTHING);
        broker.accept(BOB, text("later", ALERTS, "hello"));

        TestBroker.call(broker);

        assertThat(calls).isEmpty();
        assertThat(broker.deadCalls().list(MESH, "alice", null, 10))
                .hasSize(2)
                .allSatisfy(dead -> assertThat(dead.error()).contains("the role member"));

        broker.members().changeRoles(MESH, "alice", Set.of(Role.ADMIN), Also.NOTHING);
        broker.accept(BOB, text("again", ALERTS, "hello"));
        TestBroker.call(broker);

        assertThat(calls).hasSize(1);
    }

    @Test
    void the_webhooks_of_a_member_end_with_it() {
        broker.webhooks().register(ALICE, ALERTS, url("/"));
        broker.webhooks().register(ALICE, TestBroker.ORDER, url("/"));
        broker.webhooks().register(BOB, TestBroker.ORDER, url("/"));
        broker.members().remove(MESH, "alice", id -> Also.NOTHING);
        broker.accept(BOB, text("k", ALERTS, "hello"));
        TestBroker.call(broker);

        assertThat(calls).isEmpty();
        List<Webhook> left = broker.webhooks().list(MESH);
        assertThat(left).singleElement().extracting(Webhook::member).isEqualTo("bob");
        assertThat(jobs.watched.keySet()).containsExactly(left.getFirst().id());
    }

    @Test
    void a_member_webhook_gets_messages_to_the_member_and_no_others() {
        broker.webhooks().register(BOB, TestBroker.TO_BOB, url("/"));
        assertThatThrownBy(() -> broker.webhooks().register(ALICE, TestBroker.TO_BOB, url("/")))
                .isInstanceOf(IllegalArgumentException.class);
        broker.accept(ALICE, text("k", TestBroker.TO_BOB, "hello"));

        TestBroker.call(broker);

        assertThat(calls).hasSize(1);
        assertThat(broker.deliveries().waiting(MESH, Inbox.of(BOB))).isEqualTo(1);
    }

    @Test
    void the_end_of_a_job_is_announced_once_to_those_who_subscribed_to_its_workflow() {
        Webhook hook = registered(TestBroker.ORDER, "/").webhook();
        assertThat(jobs.watched).containsExactly(Map.entry(hook.id(), "order"));
        AcceptTest.accepted(broker.accept(ALICE, TestBroker.job("k", "x")));
        CompletionAnnouncer completionAnnouncer = new CompletionAnnouncer(database, jobs.ends(), CrashPoints.NONE);

        assertThat(completionAnnouncer.run()).isEqualTo(1);
        TestBroker.call(broker);
        assertThat(completionAnnouncer.run()).isZero();
        TestBroker.call(broker);

        assertThat(calls).singleElement().satisfies(called -> {
            Json.ObjectValue body = (Json.ObjectValue) Json.parse(called.body());
            assertThat(body.members())
                    .containsEntry("to", Json.of("workflow:order"))
                    .containsEntry("message", Json.of("done"));
        });
        assertThat(broker.orphans().run().isClean()).isTrue();
        broker.webhooks().delete(MESH, hook.id());
        assertThat(jobs.watched).isEmpty();
    }

    @Test
    void job_ends_without_subscribers_are_not_announced() {
        AcceptTest.accepted(broker.accept(ALICE, TestBroker.job("k", "x")));

        assertThat(new CompletionAnnouncer(database, jobs.ends(), CrashPoints.NONE).run())
                .isZero();

        assertThat(broker.orphans().run().isClean()).isTrue();
    }

    @Test
    void a_webhook_is_called_soon_by_a_broker_that_is_started() throws Exception {
        broker.webhooks().register(ALICE, ALERTS, url("/"));
        broker.start();
        broker.accept(BOB, text("k", ALERTS, "hello"));

        assertThat(calls.poll(20, TimeUnit.SECONDS)).isNotNull();
    }

    private Broker open(AddressPolicy policy) {
        BrokerSettings settings = TestBroker.SETTINGS.withCallable(policy);
        return TestBroker.on(postgres.dataSource(), settings, jobs, Limiter.NONE, CrashPoints.NONE);
    }

    private Registration.Registered registered(Destination source, String path) {
        return (Registration.Registered) broker.webhooks().register(ALICE, source, url(path));
    }

    private URI url(String path) {
        return URI.create("http://localhost:" + server.getAddress().getPort() + path);
    }

    private void letTimePass() {
        database.transact("let time pass", tx -> tx.update("update tally.delivery set visible_at = now()"));
    }

    private List<Integer> attempts() {
        return database.transact(
                "read attempts",
                tx -> tx.query(
                        "select attempts from tally.delivery where inbox like 'webhook:%'",
                        row -> row.getInt("attempts")));
    }

    private String error() {
        return database.transact(
                "read error",
                tx -> tx.first(
                                "select error from tally.delivery where inbox like 'webhook:%'",
                                row -> row.getString("error"))
                        .orElseThrow());
    }
}
