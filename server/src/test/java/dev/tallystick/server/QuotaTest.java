package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.member.Quotas;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** There are only so many of the things that are kept; what is there already can still be put again. */
class QuotaTest {

    private static final String SCHEDULE =
            "{\"workflow\":\"sample.order\",\"cron\":\"0 0 1 1 *\",\"input\":{\"order\":\"x\"}}";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final int ASKERS = 6;
    private static final Map<String, String> BODIES =
            Map.of("destination", "{}", "member", "{\"roles\":[\"member\"]}", "schedule", SCHEDULE);
    private static final Executor THREADS = task -> Thread.ofVirtual().start(task);

    private static TallyServer server;
    private static Http admin;
    private static Http mesh;
    private static Http other;

    @BeforeAll
    static void start() {
        server = TallyServer.start(
                ServerUnderTest.settings(postgres.url(), data).withQuotas(new Quotas(2, 1, 4, 3, 3, 2)));
        admin = new Http(server.address(), ServerUnderTest.adminToken(data));
        for (String name : new String[] {"full", "other"}) {
            admin.put("/v1/meshes/" + name, "{}");
        }
        mesh = admin.as(admin.post("/v1/meshes/full/admin-token", "{}").text("token"));
        other = admin.as(admin.post("/v1/meshes/other/admin-token", "{}").text("token"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void topics_and_queues() {
        mesh.put("/v1/topics/a", "{}");
        mesh.put("/v1/topics/b", "{}");
        mesh.put("/v1/queues/a", "{}");

        refused(mesh.put("/v1/topics/c", "{}"), "the mesh has 2 topics", Quotas.TOPICS);
        refused(mesh.put("/v1/queues/b", "{}"), "the mesh has 1 queues", Quotas.QUEUES);
        assertThat(mesh.put("/v1/topics/a", "{}").status()).isEqualTo(200);
        assertThat(other.put("/v1/topics/c", "{}").status()).isEqualTo(201);
        mesh.delete("/v1/topics/a");
        assertThat(mesh.put("/v1/topics/c", "{}").status()).isEqualTo(201);
    }

    @Test
    void members_their_tokens_and_their_schedules() {
        Http one = ServerUnderTest.memberOf(mesh, "one", "member");
        Http two = ServerUnderTest.memberOf(mesh, "two", "member");
        mesh.put("/v1/members/three", "{\"roles\":[\"member\"]}");
        refused(mesh.put("/v1/members/four", "{\"roles\":[\"member\"]}"), "the mesh has 4 members", Quotas.MEMBERS);
        assertThat(mesh.put("/v1/members/three", "{\"roles\":[\"observer\"]}").status())
                .isEqualTo(200);

        mesh.post("/v1/members/one/tokens", "{}");
        String last = mesh.post("/v1/members/one/tokens", "{}").text("id");
        refused(mesh.post("/v1/members/one/tokens", "{}"), "the member has 3 valid tokens", Quotas.TOKENS);
        mesh.delete("/v1/tokens/" + last);
        assertThat(mesh.post("/v1/members/one/tokens", "{}").status()).isEqualTo(201);

        one.put("/v1/schedules/a", SCHEDULE);
        one.put("/v1/schedules/b", SCHEDULE);
        refused(one.put("/v1/schedules/c", SCHEDULE), "the member has 2 schedules", Quotas.SCHEDULES_OF_MEMBER);
        assertThat(one.put("/v1/schedules/b", SCHEDULE).status()).isEqualTo(200);
        assertThat(two.put("/v1/schedules/c", SCHEDULE).status()).isEqualTo(200);
        refused(two.put("/v1/schedules/d", SCHEDULE), "the mesh has 3 schedules", Quotas.SCHEDULES);
    }

    /** All of them have counted, if they count before, when the first one creates something. */
    @ParameterizedTest
    @CsvSource({
        "destination, topics, names, /v1/topics/race-%d, 2",
        "member, members, members, /v1/members/race-%d, 4",
        "schedule, schedules, schedules, /v1/schedules/race-%d, 2"
    })
    void those_who_create_at_the_same_moment_exceed_no_quota(
            String table, String list, String field, String path, int most) throws Exception {
        Http fresh = server(list);
        String body = Objects.requireNonNull(BODIES.get(table));
        List<CompletableFuture<Http.Reply>> replies = new ArrayList<>();
        try (Connection holding = postgres.dataSource().getConnection();
                Statement statement = holding.createStatement()) {
            holding.setAutoCommit(false);
            statement.execute("lock table tally." + table + " in share mode");
            for (int i = 0; i < ASKERS; i++) {
                String one = path.formatted(i);
                replies.add(CompletableFuture.supplyAsync(() -> fresh.put(one, body), THREADS));
            }
            Eventually.holds("all of them wait", () -> waiting(statement) == ASKERS);
            holding.commit();
        }
        for (CompletableFuture<Http.Reply> reply : replies) {
            assertThat(reply.get().status()).isIn(200, 201, 409);
        }

        assertThat(((Json.ArrayValue) fresh.get("/v1/" + list).at(field)).elements())
                .hasSize(most);
    }

    private static long waiting(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("select count(distinct pid) from pg_locks where not granted")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** The admin of a mesh of its own. */
    private static Http server(String name) {
        admin.put("/v1/meshes/" + name, "{}");
        return admin.as(admin.post("/v1/meshes/" + name + "/admin-token", "{}").text("token"));
    }

    @Test
    void a_heartbeat_keeps_500_pieces_of_work_at_most() {
        String piece = "{\"job_id\":\"" + new UUID(0, 1) + "\",\"work_id\":\"" + new UUID(0, 2) + "\",\"fence\":1}";

        Http.Reply many = other.post("/v1/workers/paper/heartbeat", heartbeat(501, piece));
        Http.Reply fewer = other.post("/v1/workers/paper/heartbeat", heartbeat(500, piece));

        assertThat(many.status()).as(many.body()).isEqualTo(400);
        assertThat(many.body()).contains("at most 500", "send several heartbeats");
        assertThat(fewer.status()).as(fewer.body()).isEqualTo(200);
    }

    private static String heartbeat(int number, String piece) {
        return "{\"work\":[" + String.join(",", Collections.nCopies(number, piece)) + "]}";
    }

    private static void refused(Http.Reply reply, String why, String setting) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(409);
        assertThat(reply.code()).isEqualTo("too_many");
        assertThat(reply.body()).contains(why, setting, "delete one");
    }
}
