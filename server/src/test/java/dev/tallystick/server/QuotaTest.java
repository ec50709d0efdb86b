package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.Quotas;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.util.Collections;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** There are only so many of the things that are kept; what is there already can still be put again. */
class QuotaTest {

    private static final String SCHEDULE =
            "{\"workflow\":\"sample.order\",\"cron\":\"0 0 1 1 *\",\"input\":{\"order\":\"x\"}}";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static TallyServer server;
    private static Http mesh;
    private static Http other;

    @BeforeAll
    static void start() {
        server = TallyServer.start(
                ServerUnderTest.settings(postgres.url(), data).withQuotas(new Quotas(2, 1, 4, 3, 3, 2)));
        Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
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
