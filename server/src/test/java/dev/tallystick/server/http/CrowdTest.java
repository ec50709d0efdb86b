package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.server.Crowd;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.server.TallyServer;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One client that takes all it can get: others are served all the same. */
class CrowdTest {

    private static final String STREAM = "/v1/history/stream?destination=topic:news";
    private static final String ORDER = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    @Test
    void a_member_and_a_mesh_have_limits_of_their_own_and_the_others_are_served() throws IOException {
        try (TallyServer server = start(Limits.DEFAULT.withRequests(20, 6, 4));
                Crowd crowd = new Crowd()) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            Http crowding = mesh(admin, "crowding");
            Http greedy = ServerUnderTest.memberOf(crowding, "greedy", "member");
            Http second = ServerUnderTest.memberOf(crowding, "second", "member");
            crowding.put("/v1/topics/news", "{}");

            crowd.come(server.address(), 7, Crowd.request("GET", STREAM, greedy.token(), ""));
            assertThat(crowd.statuses())
                    .containsOnly("200", "429")
                    .filteredOn("200"::equals)
                    .hasSize(4);
            try (Crowd more = new Crowd()) {
                more.come(server.address(), 2, Crowd.request("GET", STREAM, second.token(), ""));
                assertThat(more.statuses()).containsOnly("200");

                assertThat(greedy.submit("k", ORDER).body())
                        .contains("over_limit", "this member", "TALLY_REQUESTS_PER_MEMBER");
                assertThat(second.submit("k", ORDER).body())
                        .contains("over_limit", "this mesh", "TALLY_REQUESTS_PER_MESH");
                for (int i = 0; i < 10; i++) {
                    assertThat(admin.submit("k" + i, ORDER).status()).isEqualTo(201);
                }
            }
        }
    }

    /** Two meshes that take all they may leave the last places to those who have none. */
    @Test
    void the_last_places_are_for_meshes_that_have_few() throws IOException {
        try (TallyServer server = start(Limits.DEFAULT.withRequests(10, 5, 5));
                Crowd crowd = new Crowd()) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            for (String name : new String[] {"one", "two"}) {
                Http greedy = mesh(admin, name);
                greedy.put("/v1/topics/news", "{}");
                crowd.come(server.address(), 5, Crowd.request("GET", STREAM, greedy.token(), ""));
            }

            assertThat(crowd.statuses()).filteredOn("503"::equals).hasSize(2);
            assertThat(admin.submit("k", ORDER).status()).isEqualTo(201);
        }
    }

    /** From the very address of the others, as behind a proxy; and long before anybody was silent for too long. */
    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HT", "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"})
    void connections_without_a_member_make_room_for_newcomers(String said) throws IOException {
        try (TallyServer server = start(Limits.DEFAULT.withConnections(30, 10));
                Crowd crowd = new Crowd()) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            crowd.come(server.address(), 40, said);

            assertThat(admin.submit("k", ORDER).status()).isEqualTo(201);
            assertThat(Crowd.isCutOff(crowd.sockets().getFirst())).isTrue();
        }
    }

    @Test
    void an_address_with_its_share_of_connections_makes_room_itself() throws IOException {
        try (TallyServer server = start(Limits.DEFAULT.withConnections(30, 10));
                Crowd neighbour = new Crowd();
                Crowd crowd = new Crowd()) {
            neighbour.come("127.0.0.2", server.address(), 1, "");
            crowd.come("127.0.0.1", server.address(), 40, "");

            assertThat(Crowd.isCutOff(crowd.sockets().getFirst())).isTrue();
            Socket old = neighbour.sockets().getFirst();
            old.getOutputStream()
                    .write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(neighbour.statuses()).containsExactly("200");
        }
    }

    @Test
    void the_requests_of_a_mesh_look_less_often_if_many_of_them_wait() {
        LongPolls longPolls = new LongPolls(Duration.ofSeconds(60));
        Duration usual = Duration.ofMillis(200);
        LongPolls.Waiting other = longPolls.begin("other");
        LongPolls.Waiting first = longPolls.begin("crowding");
        for (int i = 2; i < 1_000; i++) {
            longPolls.begin("crowding");
        }
        LongPolls.Waiting last = longPolls.begin("crowding");

        assertThat(first.pace(usual)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3));
        assertThat(last.pace(usual))
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3))
                .isNotEqualTo(first.pace(usual));
        assertThat(other.pace(usual)).isEqualTo(usual);
    }

    /** A request of another mesh takes less than a second while one member does all it can. */
    @Tag("campaign")
    @ParameterizedTest
    @ValueSource(strings = {"5100 streams", "2000 waits for work", "2000 waits for a job", "10500 slow connections"})
    void others_are_served_within_a_second(String what) {
        try (TallyServer server = start(Limits.DEFAULT)) {
            Http admin = new Http(server.address(), ServerUnderTest.adminToken(data));
            Http greedy = mesh(admin, "crowding");
            greedy.put("/v1/topics/news", "{}");
            String job = greedy.submit("approval", "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"x\"}}")
                    .text("job_id");
            String words = switch (what.substring(what.indexOf(' ') + 1)) {
                case "streams" -> Crowd.request("GET", STREAM, greedy.token(), "");
                case "waits for work" ->
                    Crowd.request("POST", "/v1/workers/paper/claim", greedy.token(), "{\"wait_seconds\":60}");
                case "waits for a job" ->
                    Crowd.request("GET", "/v1/jobs/" + job + "/result?wait=60", greedy.token(), "");
                default -> "GET /v1/jobs HTTP/1.1\r\nX-Slow: ";
            };
            String number = what.substring(0, what.indexOf(' '));
            admin.submit("warm", ORDER);
            try (ChildJvm child =
                    ChildJvm.of(Crowd.class).start(server.address().toString(), number, words)) {
                long[] nanos = new long[400];
                for (int i = 0; i < nanos.length; i++) {
                    if (i == nanos.length / 2) {
                        child.awaitLine(Crowd.THERE::equals, Duration.ofMinutes(3));
                    }
                    long begin = System.nanoTime();
                    assertThat(admin.submit("k" + i, ORDER).status()).isEqualTo(201);
                    nanos[i] = System.nanoTime() - begin;
                }
                Arrays.sort(nanos);
                Duration slowest = Duration.ofNanos(nanos[nanos.length - 1]);
                System.out.printf(
                        "%s: half of the others' requests within %d ms, 99 %% within %d ms, all within %d ms%n",
                        what,
                        nanos[nanos.length / 2] / 1_000_000,
                        nanos[nanos.length * 99 / 100] / 1_000_000,
                        slowest.toMillis());
                assertThat(slowest).isLessThan(Duration.ofSeconds(1));
            }
        }
    }

    private TallyServer start(Limits limits) {
        return TallyServer.start(ServerUnderTest.settings(postgres.url(), data), limits, CrashPoints.NONE);
    }

    private static Http mesh(Http admin, String name) {
        admin.put("/v1/meshes/" + name, "{}");
        return admin.as(admin.post("/v1/meshes/" + name + "/admin-token", "{}").text("token"));
    }
}
