package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Remote work over HTTP: leases, fences, repeats. */
class WorkerApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    private static final String PATH = "/v1/workers/sample.greetings/";

    private ServerUnderTest server;
    private Http worker;

    @BeforeEach
    void start() {
        server = ServerUnderTest.on(postgres, data);
        worker = server.member("greeter", "worker");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String job() {
        return server.admin()
                .submit("g", "{\"workflow\":\"sample.greeting\",\"input\":\"ann\"}")
                .text("job_id");
    }

    private Http.Reply claim(Http who) {
        Http.Reply reply = who.post(PATH + "claim", "{\"max\":1,\"wait_seconds\":20}");
        List<Json> work = ((Json.ArrayValue) reply.at("work")).elements();
        assertThat(work).as(reply.body()).hasSize(1);
        return new Http.Reply(200, work.getFirst().canonical(), Map.of());
    }

    private static String handle(Http.Reply work, String more) {
        return "{\"job_id\":\"" + work.text("job_id") + "\",\"work_id\":\"" + work.text("work_id") + "\",\"fence\":"
                + work.at("fence").canonical() + more + "}";
    }

    @Test
    void a_worker_is_told_the_trace_that_its_job_came_with() {
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        server.admin()
                .post(
                        "/v1/jobs",
                        "{\"workflow\":\"sample.greeting\",\"input\":\"ann\"}",
                        "Idempotency-Key",
                        "traced",
                        "traceparent",
                        trace);

        Http.Reply traced = claim(worker);
        worker.post(PATH + "result", handle(traced, ",\"output\":\"hello\""));
        job();

        assertThat(traced.text("traceparent")).isEqualTo(trace);
        assertThat(claim(worker).body()).doesNotContain("traceparent");
    }

    @Test
    void a_result_is_recorded_once_and_its_repeat_is_answered_alike() {
        String job = job();
        Http.Reply work = claim(worker);
        assertThat(work.text("job_id")).isEqualTo(job);
        assertThat(work.text("input")).isEqualTo("ann");

        Http.Reply first = worker.post(PATH + "result", handle(work, ",\"output\":\"hello\""));
        Http.Reply again = worker.post(PATH + "result", handle(work, ",\"output\":\"hello\""));

        assertThat(first.text("status")).isEqualTo("recorded");
        assertThat(again.status()).as(again.body()).isEqualTo(200);
        assertThat(server.admin().get("/v1/jobs/" + job + "/result?wait=30").text("status"))
                .isEqualTo("completed");
    }

    @Test
    void work_of_another_topic_is_neither_kept_nor_recorded() {
        String job = job();
        Http.Reply work = claim(worker);
        String other = "/v1/workers/sample.others/";

        Http.Reply kept = worker.post(other + "heartbeat", "{\"work\":[" + handle(work, "") + "]}");
        Http.Reply result = worker.post(other + "result", handle(work, ",\"output\":\"forged\""));
        Http.Reply failure = worker.post(other + "result", handle(work, ",\"error\":\"forged\",\"for_good\":true"));
        worker.post(PATH + "result", handle(work, ",\"output\":\"hello\""));

        assertThat(kept.at("kept").canonical()).isEqualTo("[]");
        assertThat(result.status()).isEqualTo(404);
        assertThat(failure.status()).isEqualTo(404);
        assertThat(server.admin().get("/v1/jobs/" + job + "/result?wait=30").body())
                .contains("hello")
                .doesNotContain("forged");
    }

    @Test
    void a_second_and_different_result_of_one_attempt_is_refused() {
        String job = job();
        Http.Reply work = claim(worker);
        worker.post(PATH + "result", handle(work, ",\"output\":\"hello\""));

        Http.Reply other = worker.post(PATH + "result", handle(work, ",\"output\":\"goodbye\""));

        assertThat(other.status()).isEqualTo(409);
        assertThat(other.code()).isEqualTo("result_differs");
        assertThat(server.admin().get("/v1/jobs/" + job + "/result?wait=30").body())
                .contains("hello");
    }

    @Test
    void a_result_after_the_end_of_its_job_and_its_repeat_are_answered_alike() {
        String job = job();
        Http.Reply work = claim(worker);
        server.admin().send("POST", "/v1/jobs/" + job + "/cancel", null);
        server.admin().get("/v1/jobs/" + job + "/result?wait=30");

        Http.Reply first = worker.post(PATH + "result", handle(work, ",\"output\":\"hello\""));
        Http.Reply again = worker.post(PATH + "result", handle(work, ",\"output\":\"hello\""));

        assertThat(first.text("status")).isEqualTo("job_closed");
        assertThat(again.text("status")).isEqualTo("job_closed");
    }

    @Test
    void what_a_worker_reports_of_a_failure_is_shown_with_its_job() {
        String job = job();
        String failure = ",\"error\":\"no paper\",\"stack_trace\":\"Traceback: line 7\"";

        worker.post(PATH + "result", handle(claim(worker), failure));

        Http.Reply shown = server.admin().get("/v1/jobs/" + job);
        assertThat(((Json.ObjectValue) shown.at("last_error")).members())
                .containsEntry("activity", Json.of("greet"))
                .containsEntry("error", Json.of("no paper"))
                .containsEntry("stack_trace", Json.of("Traceback: line 7"));
        assertThat(server.admin().get("/v1/jobs/" + job + "/why").body())
                .contains("attempt 2, at ", "the last one failed: no paper");
    }

    @Test
    void nothing_is_handed_out_to_a_worker_that_has_gone_away() throws IOException {
        try (Socket gone = worker.open("POST", PATH + "claim", "{\"max\":1,\"wait_seconds\":60}")) {
            assertThat(gone.isConnected()).isTrue();
            Eventually.holds("it waits", () -> server.server().waits().number() == 1);
        }
        Eventually.holds("that is noticed", () -> server.server().waits().number() == 0);

        job();

        assertThat(claim(worker).at("attempt")).isEqualTo(Json.of(1));
    }

    @Test
    void a_worker_that_lost_its_lease_cannot_bring_its_result() {
        String job = job();
        Http.Reply lost = claim(worker);
        expireLeases();
        Http.Reply taken = claim(worker);

        Http.Reply late = worker.post(PATH + "result", handle(lost, ",\"output\":\"late\""));
        Http.Reply good = worker.post(PATH + "result", handle(taken, ",\"output\":\"good\""));

        assertThat(late.code()).isEqualTo("lease_lost");
        assertThat(good.text("status")).isEqualTo("recorded");
        assertThat(taken.at("attempt")).isEqualTo(Json.of(2));
        assertThat(server.admin().get("/v1/jobs/" + job + "/result?wait=30").body())
                .contains("good");
    }

    private static void expireLeases() {
        Database.on(postgres.dataSource())
                .transact(
                        "expire",
                        tx -> tx.update("update tally.posting set visible_at = now() where visible_at > now()"));
    }

    @Test
    void a_heartbeat_names_what_is_still_held() {
        job();
        Http.Reply work = claim(worker);

        Http.Reply kept = worker.post(PATH + "heartbeat", "{\"work\":[" + handle(work, "") + "]}");

        assertThat(kept.at("kept")).isEqualTo(new Json.ArrayValue(List.of(work.at("work_id"))));
    }

    @Test
    void work_of_another_mesh_is_neither_claimed_nor_kept_nor_brought() {
        job();
        Http other = ServerUnderTest.memberOf(server.mesh("elsewhere"), "thief", "worker");

        assertThat(other.post(PATH + "claim", "{}").at("work")).isEqualTo(new Json.ArrayValue(List.of()));
        Http.Reply work = claim(worker);
        assertThat(other.post(PATH + "heartbeat", "{\"work\":[" + handle(work, "") + "]}")
                        .at("kept"))
                .isEqualTo(new Json.ArrayValue(List.of()));
        assertThat(other.post(PATH + "result", handle(work, ",\"output\":1")).status())
                .isEqualTo(404);
    }

    @Test
    void the_queues_of_engines_are_no_topics() {
        assertThat(worker.post("/v1/workers/sample.order@1/claim", "{}").status())
                .isEqualTo(404);
        assertThat(worker.post("/v1/workers/$engine/claim", "{}").status()).isEqualTo(404);
    }
}
