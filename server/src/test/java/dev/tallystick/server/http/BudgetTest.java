package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.server.TallyServer;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** A member over its budget learns when to try again. */
class BudgetTest {

    private static final Limiter.Budget TWO = new Limiter.Budget(2, Duration.ofDays(1));

    private static final String ORDER = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"a\"}}";

    /** Has no key, so a repeat cannot be told from another request. */
    private static final String WITHOUT_REPEATS = "POST /v1/webhooks";

    private static final Things NOTHING = new Things("", "", "", "");

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    @Test
    void over_the_budget_there_is_a_429_while_repeats_of_what_was_accepted_are_answered() {
        budgetIsKept(ServerUnderTest.settings(postgres.url(), data).withBudget(TWO));
    }

    @Test
    void the_budget_is_kept_in_redis_if_that_is_wanted() throws IOException {
        int port = freePort();
        RedisServer redis = RedisServer.newRedisServer()
                .bind("127.0.0.1")
                .port(port)
                .setting("save \"\"")
                .build();
        redis.start();
        try {
            ServerSettings settings = ServerSettings.of(data, Map.of("TALLY_LIMITER", "redis://127.0.0.1:" + port));
            budgetIsKept(ServerUnderTest.settings(postgres.url(), data)
                    .withBudget(TWO)
                    .withLimiter(settings.limiter()));
        } finally {
            redis.stop();
        }
    }

    @Test
    void what_a_schedule_starts_is_paid_by_its_member_and_waits_while_the_budget_is_used_up() {
        Database database = Database.on(postgres.dataSource());
        Limiter.Budget five = new Limiter.Budget(5, Duration.ofDays(1));
        try (TallyServer server =
                TallyServer.start(ServerUnderTest.settings(postgres.url(), data).withBudget(five))) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            for (String name : List.of("a", "b", "c")) {
                admin.put(
                        "/v1/schedules/" + name,
                        "{\"workflow\":\"sample.order\",\"cron\":\"0 0 1 1 *\",\"input\":{\"order\":\"a\"}}");
            }
            database.transact("have them due", tx -> tx.update("update tally.schedule set next_at = now()"));
            Eventually.holds(
                    "all of them have fired or wait",
                    () -> database.transact(
                                    "look",
                                    tx -> tx.first(
                                                    "select count(*) as n from tally.schedule where next_at > now() or waits_until > now()",
                                                    row -> row.getLong("n"))
                                            .orElseThrow())
                            == 3);

            assertThat(((Json.ArrayValue) admin.get("/v1/jobs").at("jobs")).elements())
                    .hasSize(2);
            assertThat(admin.get("/v1/schedules").body()).containsOnlyOnce("waits until");
            assertThat(admin.submit("k", ORDER).code()).isEqualTo("over_limit");
        }
    }

    /** What costs budget, in the words of the table, with a request for it. */
    private record Costly(
            String route, String path, @Nullable String body, int status) {

        Http.Reply ask(Http http, String key) {
            String method = route.substring(0, route.indexOf(' '));
            return http.send(method, path.replace("{key}", key), body, "Idempotency-Key", key);
        }
    }

    @Test
    void whatever_creates_something_costs_one_of_the_budget_and_its_repeats_nothing() {
        int many = costly(NOTHING).size();
        Limiter.Budget budget = new Limiter.Budget(many, Duration.ofDays(1));
        try (TallyServer server = start(budget)) {
            Http setUp = ServerUnderTest.memberOf(admin(server), "bob", "member");
            Http alice = ServerUnderTest.memberOf(admin(server), "alice", "member");
            admin(server).put("/v1/topics/quiet", "{}");
            List<Costly> costly = costly(Things.madeBy(setUp, alice));
            assertThat(costly)
                    .extracting(Costly::route)
                    .as("what the table says of itself")
                    .containsExactlyInAnyOrderElementsOf(costlyIn(server.table()));

            for (Costly each : costly) {
                Http.Reply first = each.ask(alice, "k:" + each.route().hashCode());
                assertThat(first.status()).as(each + " " + first.body()).isEqualTo(each.status());
            }
            for (Costly each : costly) {
                Http.Reply again = each.ask(alice, "k:" + each.route().hashCode());
                assertThat(again.status() == 429)
                        .as(each + " " + again.body())
                        .isEqualTo(each.route().equals(WITHOUT_REPEATS));
            }

            assertThat(alice.submit("one:more", ORDER).code()).isEqualTo("over_limit");
        }
    }

    @Test
    void what_is_over_the_budget_is_refused_leaves_nothing_and_is_accepted_under_the_same_key_later() {
        List<Costly> costly;
        String token;
        int enough = 5;
        try (TallyServer server = start(new Limiter.Budget(enough, Duration.ofDays(1)))) {
            Http alice = ServerUnderTest.memberOf(admin(server), "alice", "member");
            admin(server).put("/v1/topics/quiet", "{}");
            costly = costly(Things.madeBy(admin(server), alice));
            token = alice.token();
            for (int i = 0; i < enough; i++) {
                alice.submit("k:" + i, ORDER);
            }
            long rows = rows();
            for (Costly each : costly) {
                Http.Reply refused = each.ask(alice, "k:" + each.route().hashCode());
                assertThat(refused.code()).as(each + " " + refused.body()).isEqualTo("over_limit");
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.header("Retry-After")).matches("[1-9][0-9]*");
            }
            assertThat(rows()).isEqualTo(rows);
            assertThat(admin(server).get("/metrics").body())
                    .contains("tally_over_limit_total " + (double) costly.size());
        }
        try (TallyServer server = start(Limiter.Budget.DEFAULT)) {
            Http alice = new Http(server.address(), token);
            for (Costly each : costly) {
                Http.Reply accepted = each.ask(alice, "k:" + each.route().hashCode());
                assertThat(accepted.status()).as(each + " " + accepted.body()).isEqualTo(each.status());
            }
        }
    }

    /** What there has to be before something can be done with it. */
    private record Things(String open, String closed, String failed, String task) {

        static Things madeBy(Http maker, Http reviewer) {
            maker.put("/v1/schedules/nightly", "{\"workflow\":\"sample.order\",\"cron\":\"0 3 * * *\"}");
            String open = job(maker, "a", "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"a\"}}");
            String closed = job(maker, "b", ORDER);
            String failed = job(maker, "c", "{\"workflow\":\"sample.order\",\"input\":\"none\"}");
            job(maker, "d", "{\"workflow\":\"sample.review\",\"input\":{\"order\":\"d\"}}");
            maker.get("/v1/jobs/" + closed + "/result?wait=60");
            maker.get("/v1/jobs/" + failed + "/result?wait=60");
            Json.ArrayValue tasks = Eventually.value(
                    "a task is asked",
                    () -> (Json.ArrayValue) maker.get("/v1/tasks").at("tasks"),
                    found -> !found.elements().isEmpty());
            String task = tasks.elements().getFirst() instanceof Json.ObjectValue found
                            && found.members().get("task_id") instanceof Json.StringValue id
                    ? id.value()
                    : "";
            reviewer.post("/v1/tasks/" + task + "/claim", "{}");
            return new Things(open, closed, failed, task);
        }

        private static String job(Http maker, String key, String body) {
            return maker.submit("things:" + key, body).text("job_id");
        }
    }

    private static List<Costly> costly(Things things) {
        String closed = "/v1/jobs/" + things.closed();
        return List.of(
                new Costly("POST /v1/jobs", "/v1/jobs", ORDER, 201),
                new Costly("POST /v1/messages", "/v1/messages", "{\"to\":\"member:alice\",\"message\":\"m\"}", 201),
                new Costly(
                        "POST /v1/jobs/{id}/signals/{name}",
                        "/v1/jobs/" + things.open() + "/signals/noted",
                        "{\"payload\":1}",
                        201),
                new Costly("POST /v1/jobs/{id}/rerun", closed + "/rerun", null, 201),
                new Costly("POST /v1/jobs/{id}/fork", closed + "/fork", "{\"step\":\"charge\"}", 201),
                new Costly(
                        "POST /v1/deadletters/{job}/redrive",
                        "/v1/deadletters/" + things.failed() + "/redrive",
                        null,
                        200),
                new Costly(
                        "PUT /v1/schedules/{name}",
                        "/v1/schedules/daily",
                        "{\"workflow\":\"sample.order\",\"cron\":\"0 4 * * *\"}",
                        200),
                new Costly("POST /v1/schedules/{name}/trigger", "/v1/schedules/nightly/trigger", null, 201),
                new Costly(
                        "POST /v1/tasks/{task}/resolve",
                        "/v1/tasks/" + things.task() + "/resolve",
                        "{\"answer\":{\"by\":\"alice\"}}",
                        201),
                new Costly(
                        "POST /v1/keys/{key}/reserve",
                        "/v1/keys/{key}/reserve",
                        "{\"fingerprint\":\"" + "11".repeat(32)
                                + "\",\"reservation_id\":\"00000000-0000-4000-8000-00000000000a\"}",
                        201),
                new Costly(
                        "PUT /v1/devices/{device}",
                        "/v1/devices/laptop",
                        "{\"public_key\":\"" + "A".repeat(43) + "=\"}",
                        201),
                new Costly(
                        WITHOUT_REPEATS,
                        "/v1/webhooks",
                        "{\"source\":\"topic:quiet\",\"url\":\"https://shop.example/tally\"}",
                        201));
    }

    /** Those that say that they may be over the budget, and those that want a key or let members create, whatever they say. */
    private static Set<String> costlyIn(RouteTable table) {
        return table.routes().stream()
                .filter(route -> route.keyed()
                        || route.problems().contains(ProblemCode.OVER_LIMIT)
                        || (route.statuses().contains(201) && isForMembers(route)))
                .map(Route::toString)
                .collect(Collectors.toSet());
    }

    private static boolean isForMembers(Route route) {
        return route.access() instanceof Access.Members members
                && members.roles().contains(Role.MEMBER);
    }

    private TallyServer start(Limiter.Budget budget) {
        return TallyServer.start(ServerUnderTest.settings(postgres.url(), data).withBudget(budget));
    }

    private Http admin(TallyServer server) {
        return new Http(server.address(), ServerUnderTest.adminToken(data));
    }

    /** Of all that the requests would make. */
    private static long rows() {
        return Database.on(postgres.dataSource())
                .transact("count", tx -> tx.query("""
                                select (select count(*) from tally.key) + (select count(*) from tally.message)
                                    + (select count(*) from tally.job) + (select count(*) from tally.signal)
                                    + (select count(*) from tally.schedule) + (select count(*) from tally.device)
                                    + (select count(*) from tally.webhook) as n
                                """, row -> row.getLong("n")).getFirst());
    }

    private void budgetIsKept(ServerSettings settings) {
        try (TallyServer server = TallyServer.start(settings, Limits.DEFAULT, CrashPoints.NONE)) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            Http alice = ServerUnderTest.memberOf(admin, "alice", "member");
            assertThat(alice.submit("k:1", ORDER).status()).isEqualTo(201);
            assertThat(alice.submit("k:2", ORDER).status()).isEqualTo(201);

            Http.Reply refused = alice.submit("k:3", ORDER);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.code()).isEqualTo("over_limit");
            assertThat(refused.header("Retry-After")).matches("[1-9][0-9]*");
            assertThat(alice.submit("k:1", ORDER).status()).isEqualTo(200);
            assertThat(alice.submit("k:3", ORDER).status()).isEqualTo(429);
            Http bob = ServerUnderTest.memberOf(admin, "bob", "member");
            assertThat(bob.submit("k:3", ORDER).status()).isEqualTo(201);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
