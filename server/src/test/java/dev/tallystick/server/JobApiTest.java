package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.TestPostgres;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs over HTTP: submit, repeat, follow, signal, cancel. */
class JobApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final AtomicInteger KEYS = new AtomicInteger();

    private static ServerUnderTest server;
    private static Http http;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        http = server.member("alice", "member");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String key() {
        return "test:" + KEYS.incrementAndGet();
    }

    private static String order(String name) {
        return "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"" + name + "\"}}";
    }

    @Test
    void a_job_is_accepted_runs_and_returns() {
        String key = key();

        Http.Reply accepted = http.submit(key, order("a"));

        assertThat(accepted.status()).as(accepted.body()).isEqualTo(201);
        assertThat(accepted.text("workflow")).isEqualTo("sample.order");
        assertThat(accepted.text("key")).isEqualTo(key);
        assertThat(accepted.at("version")).isEqualTo(Json.of(1));
        assertThat(accepted.at("duplicate")).isEqualTo(Json.of(false));
        Http.Reply result = http.get("/v1/jobs/" + accepted.text("job_id") + "/result?wait=30");
        assertThat(result.status()).isEqualTo(200);
        assertThat(result.text("status")).isEqualTo("completed");
        assertThat(((Json.ObjectValue) result.at("output")).members()).containsEntry("status", Json.of("confirmed"));
    }

    @Test
    void where_no_server_seals_proofs_are_refused_for_good_with_what_to_do() {
        String key = key();
        String job = http.submit(key, order("unsealed")).text("job_id");

        for (String path : List.of("/v1/jobs/" + job + "/receipt", "/v1/keys/" + key + "/proof")) {
            Http.Reply refused = http.get(path);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.code()).isEqualTo("sealing_off");
            assertThat(refused.text("detail")).contains("--seal");
        }
        assertThat(ProblemCode.SEALING_OFF.lasting()).isEqualTo(ProblemCode.Lasting.PERMANENT);
    }

    @Test
    void a_repeat_gets_the_first_answer_and_is_marked() {
        String key = key();
        Http.Reply first = http.submit(key, order("b"));

        Http.Reply again = http.submit(key, order("b"));

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.body()).isEqualTo(first.body().replace("\"duplicate\":false", "\"duplicate\":true"));
    }

    @Test
    void a_repeat_after_a_restart_gets_the_first_answer() {
        String key = key();
        Http.Reply first = http.submit(key, order("c"));
        server.restart();
        http = new Http(server.server().address(), http.token());

        Http.Reply again = http.submit(key, order("c"));
        Http.Reply other = http.submit(key, order("another"));

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body().replace("\"duplicate\":false", "\"duplicate\":true"));
        assertThat(other.status()).isEqualTo(409);
    }

    @Test
    void a_key_that_comes_with_another_request_is_refused_with_both_fingerprints() {
        String key = key();
        Http.Reply first = http.submit(key, order("d"));

        Http.Reply other = http.submit(key, order("e"));

        assertThat(other.status()).isEqualTo(409);
        assertThat(other.code()).isEqualTo("idempotency_key_reused");
        assertThat(other.text("bound_fingerprint"))
                .isEqualTo(first.text("fingerprint").substring(0, 16));
        assertThat(other.text("offered_fingerprint")).hasSize(16).isNotEqualTo(other.text("bound_fingerprint"));
        assertThat(other.header("Content-Type")).startsWith("application/problem+json");
    }

    @Test
    void a_quoted_key_and_a_bare_one_are_one_key() {
        String job = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"quoted\"}}";
        String other = "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"other\"}}";
        Http.Reply first = http.submit("\"quoted:1\"", job);
        assertThat(first.status()).isEqualTo(201);
        assertThat(first.text("key")).isEqualTo("quoted:1");

        Http.Reply repeat = http.submit("quoted:1", job);
        assertThat(repeat.status()).isEqualTo(200);
        assertThat(repeat.text("job_id")).isEqualTo(first.text("job_id"));
        assertThat(http.submit("\"quoted:1\"", other).code()).isEqualTo("idempotency_key_reused");
        assertThat(http.submit("\"quoted:1", job).code()).isEqualTo("idempotency_key_refused");
        assertThat(http.post("/v1/jobs", job, "Idempotency-Key", "quoted:1", "Idempotency-Key", "\"quoted:1\"")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void without_a_key_nothing_is_accepted() {
        Http.Reply refused = http.post("/v1/jobs", order("f"));

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.code()).isEqualTo("idempotency_key_missing");
    }

    @Test
    void an_unknown_workflow_leaves_the_key_free() {
        String key = key();

        Http.Reply refused = http.submit(key, "{\"workflow\":\"nowhere\"}");

        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.code()).isEqualTo("unknown_workflow");
        assertThat(http.get("/v1/jobs?key=" + key).status()).isEqualTo(404);
        assertThat(http.submit(key, order("g")).status()).isEqualTo(201);
    }

    @Test
    void of_64_identical_submits_at_once_one_is_first_and_the_others_get_its_answer() throws Exception {
        String key = key();
        List<Future<Http.Reply>> replies = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(64);
        try (ExecutorService clients = Executors.newFixedThreadPool(64)) {
            for (int i = 0; i < 64; i++) {
                replies.add(clients.submit(() -> {
                    ready.countDown();
                    ready.await();
                    return http.submit(key, order("h"));
                }));
            }
        }
        List<Http.Reply> all = new ArrayList<>();
        for (Future<Http.Reply> reply : replies) {
            all.add(reply.get());
        }

        assertThat(all).filteredOn(reply -> reply.status() == 201).hasSize(1);
        assertThat(all)
                .filteredOn(reply -> reply.status() == 200)
                .hasSize(63)
                .allMatch(reply -> reply.header("Idempotency-Replayed").equals("true"));
        assertThat(all.stream()
                        .map(reply -> reply.body().replace("\"duplicate\":false", "\"duplicate\":true"))
                        .distinct())
                .hasSize(1);
        assertThat(jobsOf(key)).hasSize(1);
    }

    @Test
    void a_job_is_found_by_its_key_by_whoever_submitted_it() {
        String key = key();
        String id = http.submit(key, order("i")).text("job_id");

        assertThat(jobsOf(key)).extracting(job -> job.members().get("job_id")).containsExactly(Json.of(id));
        assertThat(server.member("stranger", "member")
                        .get("/v1/jobs?key=" + key)
                        .status())
                .isEqualTo(404);
    }

    @Test
    void equal_keys_of_two_members_are_two_keys() {
        String key = key();
        Http.Reply mine = http.submit(key, order("j"));

        Http.Reply theirs = server.member("bob", "member").submit(key, order("j"));

        assertThat(theirs.status()).isEqualTo(201);
        assertThat(theirs.text("job_id")).isNotEqualTo(mine.text("job_id"));
    }

    @Test
    void a_job_that_waits_says_for_what_and_goes_on_when_it_gets_its_signal() {
        String id = http.submit(key(), "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"k\"}}")
                .text("job_id");
        Http.Reply open = http.get("/v1/jobs/" + id + "/result");
        assertThat(open.status()).isEqualTo(202);
        assertThat(open.text("status")).isEqualTo("open");
        Eventually.holds(
                "it waits for its signal",
                () -> http.get("/v1/jobs/" + id + "/why").body().contains("a signal 'approved'"));

        String path = "/v1/jobs/" + id + "/signals/approved";
        Http.Reply sent = http.post(path, "{\"payload\":{\"by\":\"carol\"}}", "Idempotency-Key", "s1");
        Http.Reply again = http.post(path, "{\"payload\":{\"by\":\"carol\"}}", "Idempotency-Key", "s1");

        assertThat(sent.status()).as(sent.body()).isEqualTo(201);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.at("duplicate")).isEqualTo(Json.of(true));
        Http.Reply result = http.get("/v1/jobs/" + id + "/result?wait=30");
        assertThat(result.body()).contains("approved by carol");
        Http.Reply late = http.post(path, "{\"payload\":{\"by\":\"dave\"}}", "Idempotency-Key", "s2");
        assertThat(late.code()).isEqualTo("job_closed");
    }

    @Test
    void a_signal_whose_name_is_too_long_is_refused() {
        String id = http.submit(key(), "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"s\"}}")
                .text("job_id");
        String path = "/v1/jobs/" + id + "/signals/" + Randomness.ofSeed(1).noise(3_000);

        Http.Reply refused = http.post(path, "{}", "Idempotency-Key", key());

        assertThat(refused.status()).as(refused.body()).isEqualTo(400);
        assertThat(refused.code()).isEqualTo("malformed_request");
    }

    @Test
    void a_job_can_be_cancelled() {
        String id = http.submit(key(), "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"l\"}}")
                .text("job_id");

        assertThat(http.send("POST", "/v1/jobs/" + id + "/cancel", null).status())
                .isEqualTo(202);

        assertThat(http.get("/v1/jobs/" + id + "/result?wait=30").text("status"))
                .isEqualTo("cancelled");
        assertThat(http.get("/v1/jobs/" + id).text("status")).isEqualTo("cancelled");
    }

    @Test
    void the_activities_of_a_job_are_shown_with_their_digits() {
        String id = http.submit(key(), order("m")).text("job_id");
        http.get("/v1/jobs/" + id + "/result?wait=30");

        Http.Reply shown = http.get("/v1/jobs/" + id + "/activities");

        assertThat(shown.body()).contains("\"name\":\"reserve\"", "\"name\":\"charge\"", "\"name\":\"confirm\"");
        assertThat(shown.body()).containsPattern("\"ledger\":\"\\d{15}\"");
    }

    @Test
    void the_activities_of_a_job_are_read_in_pages() {
        String id = http.submit(key(), order("p")).text("job_id");
        http.get("/v1/jobs/" + id + "/result?wait=30");
        String path = "/v1/jobs/" + id + "/activities";
        String all = http.get(path).at("activities").canonical();

        List<Json> read = new ArrayList<>();
        Http.Reply page = http.get(path + "?limit=1");
        while (!page.at("activities").canonical().equals("[]")) {
            read.addAll(((Json.ArrayValue) page.at("activities")).elements());
            page = http.get(path + "?limit=1&after=" + URLEncoder.encode(page.text("next"), StandardCharsets.UTF_8));
        }

        assertThat(new Json.ArrayValue(read).canonical()).isEqualTo(all);
        assertThat(read.size()).isGreaterThan(2);
        assertThat(http.get(path + "?after=nonsense").code()).isEqualTo("malformed_request");
        assertThat(http.get(path + "?limit=1001").status()).isEqualTo(400);
    }

    @Test
    void the_events_of_a_job_are_read_from_where_a_reader_stopped() {
        String id = http.submit(key(), "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"e\"}}")
                .text("job_id");
        String path = "/v1/jobs/" + id + "/events";
        Eventually.holds("it waits", () -> http.get(path).body().contains("$await:approved"));

        Http.Reply before = http.get(path);
        String next = before.at("next").canonical();
        http.post("/v1/jobs/" + id + "/signals/approved", "{\"payload\":{\"by\":\"eve\"}}", "Idempotency-Key", "e1");
        http.get("/v1/jobs/" + id + "/result?wait=30");
        Http.Reply after = http.get(path + "?wait=30&after=" + next);

        assertThat(before.body())
                .contains("\"position\":1,\"event\":\"accepted\"")
                .doesNotContain("closed");
        assertThat(after.body())
                .contains("\"event\":\"signalled\"", "\"event\":\"closed\",\"outcome\":\"completed\"")
                .doesNotContain("\"position\":" + next + ",");
        String end = after.at("next").canonical();
        assertThat(http.get(path + "?wait=60&after=" + end).body())
                .as("nothing is waited for when the job has closed")
                .isEqualTo("{\"job_id\":\"" + id + "\",\"events\":[],\"next\":" + end + "}");
        assertThat(http.get(path + "?limit=2").at("next")).isEqualTo(Json.of(2));
        assertThat(http.get(path + "?after=x").code()).isEqualTo("malformed_request");
    }

    @Test
    void jobs_are_listed_page_by_page_the_newest_first() {
        for (int i = 0; i < 5; i++) {
            http.submit(key(), order("n" + i));
        }

        Http.Reply first = http.get("/v1/jobs?limit=3&workflow=sample.order");
        String link = first.header("Link");
        Http.Reply second = http.get(link.substring(1, link.indexOf('>')));

        List<String> ids = new ArrayList<>(ids(first));
        ids.addAll(ids(second));
        assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(5);
        assertThat(ids).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(link)
                .isEqualTo("</v1/jobs?before=" + first.text("next") + "&limit=3&workflow=sample.order>; rel=\"next\"");
        assertThat(http.get("/v1/jobs?limit=500").header("Link"))
                .as("the last page")
                .isEmpty();
        assertThat(second.header("Link"))
                .as("not the parameter of the page before")
                .doesNotContain(first.text("next"));
    }

    @Test
    void a_job_is_shown_with_the_key_that_it_was_submitted_under() {
        String key = key();
        String id = http.submit(key, order("shown")).text("job_id");

        Json.ObjectValue listed = jobs(http.get("/v1/jobs?limit=1")).getFirst();
        assertThat(listed.members()).containsEntry("job_id", Json.of(id)).containsEntry("key", Json.of(key));
        assertThat(http.get("/v1/jobs/" + id).text("key")).isEqualTo(key);
        assertThat(new TallyClient(server.server().address(), http.token())
                        .jobs()
                        .find(UUID.fromString(id))
                        .key())
                .isEqualTo(key);
    }

    @Test
    void a_job_of_another_mesh_is_as_absent_as_one_that_never_was() {
        String id = http.submit(key(), order("o")).text("job_id");
        Http other = server.mesh("elsewhere");

        for (String path : List.of("", "/result", "/why", "/events", "/activities")) {
            Http.Reply theirs = other.get("/v1/jobs/" + id + path);
            Http.Reply none = other.get("/v1/jobs/00000000-0000-7000-8000-000000000000" + path);
            assertThat(theirs.status()).isEqualTo(404);
            assertThat(theirs.body()).isEqualTo(none.body());
        }
    }

    private static List<Json.ObjectValue> jobsOf(String key) {
        return jobs(http.get("/v1/jobs?key=" + key));
    }

    private static List<Json.ObjectValue> jobs(Http.Reply reply) {
        return ((Json.ArrayValue) reply.at("jobs"))
                .elements().stream().map(Json.ObjectValue.class::cast).toList();
    }

    private static List<String> ids(Http.Reply reply) {
        return jobs(reply).stream()
                .map(job ->
                        ((Json.StringValue) Objects.requireNonNull(job.members().get("job_id"))).value())
                .toList();
    }
}
