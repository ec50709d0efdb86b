package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What jobs can be asked for beyond their input, and what those who look after them do: again, by the clock, by people. */
class OperatorApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final AtomicInteger KEYS = new AtomicInteger();
    private static final String UNKNOWN = "00000000-0000-7000-8000-000000000000";

    private static ServerUnderTest server;
    private static Http http;
    private static Http stranger;

    @BeforeAll
    static void start() throws IOException {
        Path workflows = Files.createDirectories(data.resolve(WorkflowDirectory.NAME));
        for (int version = 1; version <= 2; version++) {
            Files.writeString(workflows.resolve("versioned" + version + ".yaml"), """
                    workflow: versioned
                    version: %d
                    nodes:
                      asked:
                        kind: trigger
                    output: "'version %d'"
                    """.formatted(version, version));
        }
        server = ServerUnderTest.on(postgres, data);
        http = server.member("alice", "member");
        stranger = server.mesh("elsewhere");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String key() {
        return "op:" + KEYS.incrementAndGet();
    }

    private static Http.Reply submit(String workflow, String input, String more) {
        return http.submit(key(), "{\"workflow\":\"" + workflow + "\",\"input\":" + input + more + "}");
    }

    private static String job(String workflow, String input) {
        return submit(workflow, input, "").text("job_id");
    }

    private static Http.Reply result(String job) {
        return http.get("/v1/jobs/" + job + "/result?wait=30");
    }

    private static Http.Reply ask(String path, String key) {
        return http.send("POST", path, null, "Idempotency-Key", key);
    }

    private static List<Json.ObjectValue> list(Http.Reply reply, String name) {
        return ((Json.ArrayValue) reply.at(name))
                .elements().stream().map(Json.ObjectValue.class::cast).toList();
    }

    private static List<String> texts(Http.Reply reply, String list, String name) {
        return list(reply, list).stream()
                .map(each -> ((Json.StringValue)
                                Objects.requireNonNull(each.members().get(name)))
                        .value())
                .toList();
    }

    @Test
    void a_job_is_found_by_what_it_was_submitted_with() {
        String ann = submit("sample.order", "{\"order\":\"a\"}", ",\"attributes\":{\"customer\":\"ann\",\"to\":\"eu\"}")
                .text("job_id");
        String bob = submit("sample.order", "{\"order\":\"b\"}", ",\"attributes\":{\"customer\":\"bob\",\"to\":\"eu\"}")
                .text("job_id");

        assertThat(texts(http.get("/v1/jobs?attribute.customer=ann"), "jobs", "job_id"))
                .containsExactly(ann);
        assertThat(texts(http.get("/v1/jobs?attribute.to=eu&workflow=sample.order"), "jobs", "job_id"))
                .containsExactly(bob, ann);
        assertThat(texts(http.get("/v1/jobs?attribute.to=eu&attribute.customer=bob"), "jobs", "job_id"))
                .containsExactly(bob);
        assertThat(http.get("/v1/jobs/" + ann).at("attributes"))
                .isEqualTo(Json.parse("{\"customer\":\"ann\",\"to\":\"eu\"}"));
        assertThat(list(stranger.get("/v1/jobs?attribute.customer=ann"), "jobs"))
                .isEmpty();
    }

    @Test
    void attributes_that_are_none_are_refused_and_leave_the_key_free() {
        String key = key();
        String order = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"a\"}";

        assertThat(http.submit(key, order + ",\"attributes\":{\"n\":5}}").code())
                .isEqualTo("options_refused");
        assertThat(http.submit(key, order + ",\"attributes\":{\"no name\":\"x\"}}")
                        .code())
                .isEqualTo("options_refused");
        assertThat(http.submit(key, order + "}").status()).isEqualTo(201);
        assertThat(http.get("/v1/jobs?attribute.no%20name=x").code()).isEqualTo("malformed_request");
        assertThat(http.get("/v1/jobs?attributes=x").code()).isEqualTo("unknown_parameter");
        assertThat(http.get("/v1/jobs?status=over").code()).isEqualTo("malformed_request");
    }

    @Test
    void version_priority_and_time_are_those_that_were_asked_for() {
        Http.Reply old = submit("versioned", "null", ",\"version\":1");
        Http.Reply newest = submit("versioned", "null", "");
        Http.Reply later = submit(
                "sample.order", "{\"order\":\"l\"}", ",\"not_before\":\"2999-01-01T00:00:00Z\",\"priority\":\"low\"");
        Http.Reply due = submit("sample.order", "{\"order\":\"d\"}", ",\"not_before\":\"2001-01-01T00:00:00Z\"");

        assertThat(old.at("version")).isEqualTo(Json.of(1));
        assertThat(result(old.text("job_id")).text("output")).isEqualTo("version 1");
        assertThat(newest.at("version")).isEqualTo(Json.of(2));
        assertThat(result(newest.text("job_id")).text("output")).isEqualTo("version 2");
        assertThat(submit("versioned", "null", ",\"version\":3").code()).isEqualTo("unknown_workflow");
        assertThat(result(due.text("job_id")).text("status")).isEqualTo("completed");
        assertThat(submit("sample.order", "{\"order\":\"n\"}", ",\"not_before\":\"+999999999-01-01T00:00:00Z\"")
                        .code())
                .isEqualTo("malformed_request");
        assertThat(http.get("/v1/jobs?since=%2B999999999-01-01T00:00:00Z").code())
                .isEqualTo("malformed_request");
        String last = submit("sample.order", "{\"order\":\"n\"}", ",\"not_before\":\"9999-12-31T23:59:59Z\"")
                .text("job_id");
        assertThat(http.get("/v1/jobs/" + last).text("status")).isEqualTo("open");
        String id = later.text("job_id");
        assertThat(http.get("/v1/jobs/" + id).text("priority")).isEqualTo("low");
        assertThat(http.get("/v1/jobs/" + id + "/why").body()).contains("not before 2999-01-01T00:00:00");
        assertThat(http.get("/v1/jobs/" + id).text("status")).isEqualTo("open");
    }

    @Test
    void a_closed_job_is_done_again_once_a_key() {
        String first = job("sample.order", "{\"order\":\"r\"}");
        result(first);
        String key = key();

        Http.Reply begun = ask("/v1/jobs/" + first + "/rerun", key);
        Http.Reply again = ask("/v1/jobs/" + first + "/rerun", key);

        assertThat(begun.status()).as(begun.body()).isEqualTo(201);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.body()).isEqualTo(begun.body().replace("\"duplicate\":false", "\"duplicate\":true"));
        assertThat(begun.text("continued_from")).isEqualTo(first);
        assertThat(result(begun.text("job_id")).text("status")).isEqualTo("completed");
        assertThat(http.get("/v1/jobs/" + begun.text("job_id")).text("continued_from"))
                .isEqualTo(first);
        assertThat(texts(http.get("/v1/jobs?key=" + key), "jobs", "job_id")).containsExactly(begun.text("job_id"));
        assertThat(http.submit(key, "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"r\"}}")
                        .code())
                .isEqualTo("idempotency_key_reused");
        assertThat(http.send("POST", "/v1/jobs/" + first + "/rerun", null).code())
                .isEqualTo("idempotency_key_missing");
        assertThat(stranger.send("POST", "/v1/jobs/" + first + "/rerun", null, "Idempotency-Key", key())
                        .body())
                .isEqualTo(stranger.send("POST", "/v1/jobs/" + UNKNOWN + "/rerun", null, "Idempotency-Key", key())
                        .body());
    }

    @Test
    void a_closed_job_is_forked_from_a_step() {
        String first = job("sample.order", "{\"order\":\"f\"}");
        result(first);
        String path = "/v1/jobs/" + first + "/fork";
        String key = key();

        Http.Reply forked = http.post(path, "{\"step\":\"charge\"}", "Idempotency-Key", key);
        Http.Reply again = http.post(path, "{\"step\":\"charge\"}", "Idempotency-Key", key);

        assertThat(forked.status()).as(forked.body()).isEqualTo(201);
        assertThat(again.text("job_id")).isEqualTo(forked.text("job_id"));
        assertThat(result(forked.text("job_id")).text("status")).isEqualTo("completed");
        assertThat(http.post(path, "{\"step\":\"confirm\"}", "Idempotency-Key", key)
                        .code())
                .isEqualTo("idempotency_key_reused");
        Http.Reply nowhere = http.post(path, "{\"step\":\"nowhere\"}", "Idempotency-Key", key());
        assertThat(nowhere.code()).isEqualTo("rerun_refused");
        assertThat(nowhere.text("detail")).contains("it has reserve at 1");
        String open = job("sample.approval", "{\"order\":\"o\"}");
        assertThat(http.post("/v1/jobs/" + open + "/fork", "{\"step\":\"reserve\"}", "Idempotency-Key", key())
                        .code())
                .isEqualTo("job_open");
    }

    @Test
    void a_failed_job_is_a_dead_letter_until_it_is_redriven_or_discarded() {
        String failed = job("sample.order", "\"no order\"");
        String other = job("sample.order", "\"no order either\"");
        assertThat(result(failed).text("status")).isEqualTo("failed");
        assertThat(result(other).text("status")).isEqualTo("failed");
        String path = "/v1/deadletters/" + failed;

        assertThat(texts(http.get("/v1/deadletters"), "letters", "job_id")).contains(failed, other);
        assertThat(texts(http.get("/v1/deadletters?after=" + failed), "letters", "job_id"))
                .doesNotContain(failed);
        assertThat(http.get("/v1/deadletters?limit=1").text("next")).hasSize(36);
        assertThat(http.get(path).text("reason")).isNotEmpty();
        Http.Reply redriven = http.send("POST", path + "/redrive", null);
        Http.Reply again = http.send("POST", path + "/redrive", null);

        assertThat(redriven.status()).as(redriven.body()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(redriven.body());
        assertThat(http.get(path).text("redriven_as")).isEqualTo(redriven.text("job_id"));
        assertThat(http.delete("/v1/deadletters/" + other).status()).isEqualTo(204);
        assertThat(http.delete("/v1/deadletters/" + other).status()).isEqualTo(404);
        assertThat(texts(http.get("/v1/deadletters?limit=500"), "letters", "job_id"))
                .doesNotContain(failed, other);
        assertThat(stranger.get(path).body())
                .isEqualTo(stranger.get("/v1/deadletters/" + UNKNOWN).body());
        assertThat(stranger.send("POST", path + "/redrive", null).status()).isEqualTo(404);
        assertThat(stranger.delete(path).status()).isEqualTo(404);
    }

    @Test
    void a_schedule_is_kept_fires_is_paused_and_deleted() {
        String path = "/v1/schedules/nightly";
        String body = "{\"workflow\":\"sample.order\",\"cron\":\"0 3 * * *\",\"zone\":\"Europe/Berlin\","
                + "\"input\":{\"order\":\"s\"}}";

        Http.Reply kept = http.put(path, body);
        assertThat(kept.status()).as(kept.body()).isEqualTo(200);
        assertThat(kept.text("next_at")).endsWith("Z");
        assertThat(texts(http.get("/v1/schedules"), "schedules", "name")).contains("nightly");
        assertThat(http.get(path).body()).contains("\"input\":{\"order\":\"s\"}", "\"member\":\"alice\"");
        assertThat(http.send("POST", path + "/pause", null).at("paused")).isEqualTo(Json.of(true));
        assertThat(http.put(path, body).at("paused")).isEqualTo(Json.of(true));
        assertThat(http.send("POST", path + "/resume", null).at("paused")).isEqualTo(Json.of(false));
        String key = key();
        Http.Reply started = ask(path + "/trigger", key);
        assertThat(started.status()).as(started.body()).isEqualTo(201);
        assertThat(ask(path + "/trigger", key).text("job_id")).isEqualTo(started.text("job_id"));
        assertThat(result(started.text("job_id")).text("status")).isEqualTo("completed");
        assertThat(stranger.get(path).body())
                .isEqualTo(stranger.get("/v1/schedules/none").body());
        assertThat(stranger.delete(path).status()).isEqualTo(404);
        assertThat(http.delete(path).status()).isEqualTo(204);
        assertThat(http.get(path).status()).isEqualTo(404);
    }

    @Test
    void a_schedule_whose_moment_has_come_makes_a_job_that_is_found_by_its_name() {
        http.put(
                "/v1/schedules/often",
                "{\"workflow\":\"sample.order\",\"cron\":\"* * * * *\",\"input\":{\"order\":\"t\"}}");
        beLate("often");

        List<String> jobs = Eventually.value(
                "it fires",
                () -> texts(http.get("/v1/jobs?attribute.schedule=often"), "jobs", "job_id"),
                found -> !found.isEmpty());

        assertThat(result(jobs.getFirst()).text("status")).isEqualTo("completed");
        http.delete("/v1/schedules/often");
    }

    @Test
    void a_schedule_whose_member_is_gone_does_not_fire_and_says_so() {
        Http leaver = server.member("leaver", "member");
        leaver.put(
                "/v1/schedules/left",
                "{\"workflow\":\"sample.order\",\"cron\":\"* * * * *\",\"input\":{\"order\":\"l\"}}");
        server.admin().delete("/v1/members/leaver");

        beLate("left");
        Eventually.holds(
                "it says why",
                () -> http.get("/v1/schedules/left")
                        .body()
                        .contains("leaver, who made it, may not submit jobs any more"));
        assertThat(list(http.get("/v1/jobs?attribute.schedule=left"), "jobs")).isEmpty();
        Http namesake = server.member("leaver", "member");
        beLate("left");
        Eventually.holds("it was looked at again", () -> !isLate("left"));
        assertThat(list(http.get("/v1/jobs?attribute.schedule=left"), "jobs"))
                .as("another member of that name has not made it")
                .isEmpty();

        namesake.put(
                "/v1/schedules/left",
                "{\"workflow\":\"sample.order\",\"cron\":\"* * * * *\",\"input\":{\"order\":\"l\"}}");
        beLate("left");

        Eventually.holds(
                "it fires again",
                () -> !list(http.get("/v1/jobs?attribute.schedule=left"), "jobs")
                        .isEmpty());
        assertThat(http.get("/v1/schedules/left").body()).doesNotContain("trouble");
        http.delete("/v1/schedules/left");
    }

    private static void beLate(String schedule) {
        Database.on(postgres.dataSource())
                .transact(
                        "be late",
                        tx -> tx.update(
                                "update tally.schedule set next_at = now() - interval '1 minute' where name = ?",
                                schedule));
    }

    private static boolean isLate(String schedule) {
        return Database.on(postgres.dataSource())
                .transact(
                        "is it late",
                        tx -> tx.first(
                                        "select next_at < now() as late from tally.schedule where name = ?",
                                        row -> row.getBoolean("late"),
                                        schedule)
                                .orElseThrow());
    }

    @Test
    void a_schedule_that_cannot_be_is_refused() {
        String path = "/v1/schedules/odd";
        assertThat(http.put(path, "{\"workflow\":\"nowhere\",\"cron\":\"0 3 * * *\"}")
                        .code())
                .isEqualTo("unknown_workflow");
        assertThat(http.put(path, "{\"workflow\":\"sample.order\",\"cron\":\"soon\"}")
                        .code())
                .isEqualTo("malformed_request");
        assertThat(http.put(path, "{\"workflow\":\"sample.order\",\"cron\":\"0 3 * * *\",\"zone\":\"Mars\"}")
                        .text("detail"))
                .contains("'Mars' is no time zone");
        assertThat(http.put(path, "{\"workflow\":\"sample\\u0000order\",\"cron\":\"0 3 * * *\"}")
                        .code())
                .isEqualTo("malformed_request");
        assertThat(http.get(path).status()).isEqualTo(404);
    }

    private static String task(String order) {
        String job = job("sample.review", "{\"order\":\"" + order + "\"}");
        return Eventually.value(
                        "the reviewers are asked",
                        () -> list(http.get("/v1/tasks?group=reviewers&limit=1000"), "tasks").stream()
                                .filter(task ->
                                        Json.of(job).equals(task.members().get("job_id")))
                                .map(task -> ((Json.StringValue) Objects.requireNonNull(
                                                task.members().get("task_id")))
                                        .value())
                                .toList(),
                        found -> !found.isEmpty())
                .getFirst();
    }

    @Test
    void a_task_is_claimed_answered_once_and_its_job_goes_on() {
        String task = task("u");
        String path = "/v1/tasks/" + task;
        Http bob = server.member("bob", "member");

        assertThat(http.post(path + "/claim", "{}").at("duplicate")).isEqualTo(Json.of(false));
        assertThat(http.post(path + "/claim", "{}").at("duplicate")).isEqualTo(Json.of(true));
        Http.Reply held = bob.post(path + "/claim", "{}");
        assertThat(held.code()).isEqualTo("task_held");
        assertThat(held.text("assignee")).isEqualTo("alice");
        assertThat(bob.post(path + "/release", "{\"person\":\"alice\"}").status())
                .isEqualTo(403);
        assertThat(texts(http.get("/v1/tasks?person=alice"), "tasks", "task_id"))
                .contains(task);
        String answer = "{\"answer\":{\"by\":\"alice\"}}";
        Http.Reply resolved = http.post(path + "/resolve", answer, "Idempotency-Key", "form:1");
        Http.Reply again = http.post(path + "/resolve", answer, "Idempotency-Key", "form:1");

        assertThat(resolved.status()).as(resolved.body()).isEqualTo(201);
        assertThat(again.status()).isEqualTo(200);
        Http.Reply shown = http.get(path);
        assertThat(shown.text("over")).startsWith("was resolved by alice");
        assertThat(result(shown.text("job_id")).body()).contains("approved by alice");
        assertThat(bob.post(path + "/resolve", answer, "Idempotency-Key", "form:1")
                        .code())
                .isEqualTo("task_over");
    }

    @Test
    void a_task_is_released_handed_on_and_acted_upon_by_an_admin() {
        String task = task("v");
        String path = "/v1/tasks/" + task;

        assertThat(server.admin()
                        .post(path + "/claim", "{\"person\":\"carol\"}")
                        .status())
                .isEqualTo(200);
        assertThat(http.get(path).text("assignee")).isEqualTo("carol");
        assertThat(server.admin()
                        .post(path + "/release", "{\"person\":\"carol\"}")
                        .status())
                .isEqualTo(200);
        assertThat(http.post(path + "/escalate", "{\"group\":\"chiefs\"}").at("duplicate"))
                .isEqualTo(Json.of(false));
        http.post(path + "/claim", "{}");
        assertThat(http.post(path + "/escalate", "{\"group\":\"chiefs\"}").at("duplicate"))
                .isEqualTo(Json.of(true));
        assertThat(http.get(path).text("assignee")).isEqualTo("alice");
        assertThat(texts(http.get("/v1/tasks?group=chiefs"), "tasks", "task_id"))
                .containsExactly(task);
        assertThat(texts(http.get("/v1/tasks?limit=1000"), "tasks", "task_id")).contains(task);
        assertThat(list(stranger.get("/v1/tasks"), "tasks")).isEmpty();
        assertThat(stranger.get(path).body())
                .isEqualTo(stranger.get("/v1/tasks/" + UNKNOWN).body());
        assertThat(stranger.post(path + "/claim", "{}").status()).isEqualTo(404);
    }
}
