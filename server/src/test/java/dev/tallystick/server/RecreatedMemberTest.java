package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** R24: a member that gets the name of a removed one is another member. */
class RecreatedMemberTest {

    private static final String JOB = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"x\"}}";
    private static final String RESERVE = "{\"fingerprint\":\"" + "ab".repeat(32) + "\"}";

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;
    private static Http admin;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        admin = server.admin();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Http recreated(String name) {
        assertThat(admin.delete("/v1/members/" + name).status()).isEqualTo(204);
        return server.member(name, "member");
    }

    private static Http.Reply send(Http sender, String key, String body) {
        return sender.post("/v1/messages", body, "Idempotency-Key", key);
    }

    @Test
    void it_reads_no_message_of_its_namesake() {
        Http first = server.member("alice", "member");
        admin.put("/v1/topics/all", "{}");
        first.put("/v1/topics/all/subscribers/alice", "{}");
        String toHer = send(admin, "m1", "{\"to\":\"member:alice\",\"message\":\"secret\",\"mentions\":[\"alice\"]}")
                .text("message_id");
        String byHer = send(first, "m2", "{\"to\":\"member:admin\",\"message\":\"secret\"}")
                .text("message_id");
        Eventually.holds(
                "it is mentioned", () -> first.get("/v1/mentions").body().contains(toHer));
        assertThat(first.get("/v1/messages/" + byHer).status()).isEqualTo(200);

        Http second = recreated("alice");

        assertThat(second.get("/v1/history?destination=member:alice").body()).doesNotContain("secret");
        assertThat(second.get("/v1/mentions").body()).doesNotContain("secret");
        assertThat(second.get("/v1/messages/" + toHer).status()).isEqualTo(404);
        assertThat(second.get("/v1/messages/" + byHer).status()).isEqualTo(404);
        assertThat(second.post("/v1/deliveries/lease", "{}").body()).doesNotContain("secret");
        assertThat(admin.get("/v1/topics/all/subscribers").body()).doesNotContain("alice");

        // It is a member like any other under its name.
        second.put("/v1/topics/all/subscribers/alice", "{}");
        assertThat(admin.get("/v1/topics/all/subscribers").body()).contains("\"alice\"");
        String hers = send(admin, "m3", "{\"to\":\"member:alice\",\"message\":\"hello\",\"mentions\":[\"alice\"]}")
                .text("message_id");
        send(admin, "m4", "{\"to\":\"topic:all\",\"message\":\"for all\"}");
        Eventually.holds(
                "it is read",
                () -> second.get("/v1/history?destination=member:alice").body().contains(hers));
        assertThat(second.get("/v1/mentions").body()).contains(hers);
        assertThat(second.get("/v1/messages/" + hers).status()).isEqualTo(200);
        assertThat(second.post("/v1/deliveries/lease", "{}").body()).contains("hello", "for all");
        assertThat(admin.get("/v1/history?destination=member:alice").body())
                .contains(hers)
                .doesNotContain("secret");
        assertThat(admin.get("/v1/orphans").at("total").canonical()).isEqualTo("0");
    }

    @Test
    void it_has_no_task_of_its_namesake_and_those_that_are_for_it() {
        Http first = server.member("erin", "member");
        String claimed = asked("t1");
        assertThat(first.post("/v1/tasks/" + claimed + "/claim", "{}").status()).isEqualTo(200);

        Http second = recreated("erin");

        assertThat(second.get("/v1/tasks?person=erin").body()).doesNotContain(claimed);
        assertThat(second.post("/v1/tasks/" + claimed + "/claim", "{}").code()).isEqualTo("task_held");
        assertThat(second.post("/v1/tasks/" + claimed + "/release", "{}").code())
                .isEqualTo("task_held");
        assertThat(second.post("/v1/tasks/" + claimed + "/resolve", "{}", "Idempotency-Key", "a1")
                        .code())
                .isEqualTo("task_held");
        String hers = asked("t2");
        assertThat(second.post("/v1/tasks/" + hers + "/claim", "{}").status()).isEqualTo(200);
        assertThat(second.get("/v1/tasks?person=erin").body()).contains(hers);
        assertThat(second.post("/v1/tasks/" + hers + "/resolve", "{\"answer\":\"yes\"}", "Idempotency-Key", "a2")
                        .status())
                .isEqualTo(201);
    }

    /** The task of a new job that asks a group. */
    private static String asked(String key) {
        String job = admin.submit(key, "{\"workflow\":\"sample.review\",\"input\":{\"order\":\"x\"}}")
                .text("job_id");
        Json.ObjectValue task = Eventually.value(
                        "it is asked",
                        () -> ((Json.ArrayValue) admin.get("/v1/tasks").at("tasks"))
                                .elements().stream()
                                        .map(Json.ObjectValue.class::cast)
                                        .filter(each -> Json.of(job)
                                                .equals(each.members().get("job_id")))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
        return ((Json.StringValue) Objects.requireNonNull(task.members().get("task_id"))).value();
    }

    @Test
    void it_shares_no_key_with_its_namesake() {
        Http first = server.member("carol", "member");
        String job = first.submit("k", JOB).text("job_id");
        assertThat(first.post("/v1/keys/r/reserve", RESERVE).status()).isEqualTo(201);

        Http second = recreated("carol");

        assertThat(second.get("/v1/jobs?key=k").status()).isEqualTo(404);
        assertThat(second.get("/v1/keys/r").status()).isEqualTo(404);
        assertThat(second.submit("k", JOB).text("job_id")).isNotEqualTo(job);
        assertThat(second.post("/v1/keys/r/reserve", RESERVE).status()).isEqualTo(201);
    }

    @Test
    void the_schedules_of_its_namesake_stay_silent() {
        Http first = server.member("dave", "member");
        assertThat(first.put(
                                "/v1/schedules/often",
                                "{\"workflow\":\"sample.order\",\"cron\":\"* * * * *\",\"input\":{\"order\":\"x\"}}")
                        .status())
                .isEqualTo(200);
        String member = first.get("/v1/schedules/often").text("member");

        Http second = recreated("dave");
        assertThat(second.put("/v1/schedules/hers", "{\"workflow\":\"sample.order\",\"cron\":\"0 3 * * *\"}")
                        .status())
                .isEqualTo(200);

        assertThat(second.get("/v1/schedules/hers").text("member")).isNotEqualTo(member);
        assertThat(second.get("/v1/schedules/often").text("member")).isEqualTo(member);
    }

    @Test
    void a_queue_delivery_is_settled_by_the_member_that_holds_it_alone() {
        Http holder = server.member("erin", "member");
        Http other = server.member("frank", "member");
        admin.put("/v1/queues/invoices", "{}");
        String message = send(admin, "q1", "{\"to\":\"queue:invoices\",\"message\":\"pay\"}")
                .text("message_id");
        Http.Reply taken = holder.post("/v1/deliveries/lease", "{\"queue\":\"invoices\"}");
        assertThat(taken.body()).contains(message, "\"fence\":1");
        String settle = "{\"deliveries\":[{\"inbox\":\"queue:invoices\",\"message_id\":\"" + message
                + "\",\"fence\":1}],\"seconds\":1}";
        String acknowledge = settle.replace(",\"seconds\":1", "");

        for (String verb : new String[] {"extend", "release"}) {
            assertThat(other.post("/v1/deliveries/" + verb, settle).body()).contains("lease_lost");
        }
        assertThat(other.post("/v1/deliveries/ack", acknowledge).body()).contains("lease_lost");
        assertThat(holder.post("/v1/deliveries/ack", acknowledge).body()).contains("done");
    }
}
