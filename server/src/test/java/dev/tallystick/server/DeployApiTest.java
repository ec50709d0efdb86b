package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Json;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Graphs that are deployed to two servers on one database. */
class DeployApiTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path one;

    @TempDir
    static Path two;

    @TempDir
    Path third;

    private static ServerUnderTest first;
    private static ServerUnderTest second;
    private static Http atFirst;
    private static Http atSecond;

    @BeforeAll
    static void start() {
        first = ServerUnderTest.on(postgres, one);
        second = ServerUnderTest.on(postgres, two);
        atFirst = first.admin();
        atSecond = new Http(second.server().address(), atFirst.token());
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    private static String yaml(String name, int version, String output) {
        return """
                workflow: %s
                version: %d
                nodes:
                  asked:
                    kind: trigger
                output: "'%s'"
                """.formatted(name, version, output);
    }

    private static Http.Reply deploy(Http http, String name, int version, String output) {
        return http.put("/v1/workflows/" + name + "/" + version, body(yaml(name, version, output)));
    }

    private static String body(String yaml) {
        return new Json.ObjectValue(Map.of("graph", Json.of(yaml))).canonical();
    }

    private static Http.Reply submit(Http http, String name) {
        return http.submit("run:" + name + ":" + System.nanoTime(), "{\"workflow\":\"" + name + "\"}");
    }

    private static String run(Http http, String name) {
        Http.Reply accepted = submit(http, name);
        assertThat(accepted.status()).as(accepted.body()).isEqualTo(201);
        return http.get("/v1/jobs/" + accepted.text("job_id") + "/result?wait=30")
                .text("output");
    }

    @Test
    void a_graph_that_is_deployed_to_one_server_is_started_by_the_other_at_once() {
        Http.Reply deployed = deploy(atFirst, "drawn", 1, "hello");

        assertThat(deployed.status()).as(deployed.body()).isEqualTo(201);
        assertThat(run(atSecond, "drawn")).isEqualTo("hello");
        assertThat(run(atFirst, "drawn")).isEqualTo("hello");
        assertThat(atSecond.get("/v1/workflows").body())
                .contains("{\"workflow\":\"drawn\",\"version\":1,\"kind\":\"graph\"}")
                .contains("{\"workflow\":\"sample.order\",\"version\":1,\"kind\":\"code\"}");
        assertThat(atSecond.get("/v1/workflows/drawn/1").text("graph")).isEqualTo(yaml("drawn", 1, "hello"));
        assertThat(atSecond.get("/v1/workflows/sample.greeting/1").text("graph"))
                .contains("topic: sample.greetings");
    }

    @Test
    void a_deployed_graph_with_a_limit_refuses_an_input_without_a_key_and_runs_the_others() {
        String yaml = yaml("limited", 1, "done").replace("nodes:", "limit: {key: input.who, concurrency: 1}\nnodes:");
        assertThat(atFirst.put("/v1/workflows/limited/1", body(yaml)).status()).isEqualTo(201);

        Http.Reply refused = submit(atSecond, "limited");

        assertThat(refused.status()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains("the limit of workflow 'limited' has no key for this input");
        for (Http http : List.of(atFirst, atSecond)) {
            Http.Reply accepted =
                    http.submit("limited:" + http.hashCode(), "{\"workflow\":\"limited\",\"input\":{\"who\":\"ada\"}}");
            assertThat(accepted.status()).as(accepted.body()).isEqualTo(201);
            assertThat(http.get("/v1/jobs/" + accepted.text("job_id") + "/result?wait=30")
                            .text("output"))
                    .isEqualTo("done");
        }
    }

    @Test
    void a_version_never_changes_and_a_new_one_is_what_new_jobs_get() {
        assertThat(deploy(atFirst, "kept", 1, "old").status()).isEqualTo(201);
        assertThat(deploy(atSecond, "kept", 1, "old").status()).isEqualTo(200);

        Http.Reply other = deploy(atSecond, "kept", 1, "new");

        assertThat(other.status()).isEqualTo(409);
        assertThat(other.code()).isEqualTo("version_taken");
        assertThat(run(atFirst, "kept")).isEqualTo("old");
        assertThat(deploy(atFirst, "kept", 2, "new").status()).isEqualTo(201);
        assertThat(run(atFirst, "kept")).isEqualTo("new");
        Eventually.holds(
                "the other server hears of it", () -> run(atSecond, "kept").equals("new"));
    }

    @Test
    void of_two_graphs_at_the_same_moment_one_is_the_version() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        List<Future<Http.Reply>> replies;
        try (ExecutorService clients = Executors.newFixedThreadPool(2)) {
            replies = List.of(
                    clients.submit(() -> {
                        together.await();
                        return deploy(atFirst, "raced", 1, "left");
                    }),
                    clients.submit(() -> {
                        together.await();
                        return deploy(atSecond, "raced", 1, "right");
                    }));
        }
        Http.Reply left = replies.get(0).get();
        Http.Reply right = replies.get(1).get();

        assertThat(List.of(left.status(), right.status())).containsExactlyInAnyOrder(201, 409);
        String winner = left.status() == 201 ? "left" : "right";
        assertThat(run(atFirst, "raced")).isEqualTo(winner);
        assertThat(run(atSecond, "raced")).isEqualTo(winner);
    }

    /** As it is when the server that deployed it dies after the commit: the row is there, and no other server was notified. */
    private static void keep(String name, int version, String yaml) {
        Database.on(postgres.dataSource())
                .transact(
                        "deploy",
                        tx -> tx.update(
                                "insert into tally.graph (name, version, yaml, deployed_by) values (?, ?, ?, 'admin')",
                                name,
                                version,
                                yaml));
    }

    @Test
    void a_graph_whose_server_died_after_the_commit_is_run_by_the_others() {
        keep("orphan", 1, yaml("orphan", 1, "alive"));

        assertThat(run(atSecond, "orphan")).isEqualTo("alive");
        Eventually.holds(
                "the first server has it too",
                () -> atFirst.get("/v1/workflows").body().contains("\"orphan\""));
    }

    @Test
    void a_server_that_starts_runs_what_was_deployed_and_disables_what_it_cannot_run() {
        keep("newer", 1, "workflow: newer\nfrom: the future\n");
        keep("deeper", 1, chain(1_200));
        deploy(atFirst, "before", 1, "still here");

        try (ServerUnderTest later = ServerUnderTest.on(postgres, third)) {
            Http atLater = new Http(later.server().address(), atFirst.token());
            assertThat(atLater.get("/v1/workflows").body())
                    .contains("\"before\"")
                    .contains("{\"workflow\":\"newer\",\"version\":1,\"kind\":\"graph\",\"disabled\":\"graph")
                    .contains("{\"workflow\":\"deeper\",\"version\":1,\"kind\":\"graph\","
                            + "\"disabled\":\"graph: there are 1200 nodes, at most 1000 are possible");
            assertThat(run(atLater, "before")).isEqualTo("still here");
            assertThat(submit(atLater, "newer").code()).isEqualTo("unknown_workflow");

            assertThat(atLater.delete("/v1/workflows/deeper/1").status()).isEqualTo(200);
            assertThat(atLater.get("/v1/workflows").body()).doesNotContain("\"deeper\"");
        }
    }

    private static String chain(int nodes) {
        StringBuilder yaml = new StringBuilder("workflow: deeper\nnodes:\n  n1: {kind: trigger, next: n2}\n");
        for (int i = 2; i < nodes; i++) {
            yaml.append("  n%d: {kind: hook, next: n%d}\n".formatted(i, i + 1));
        }
        return yaml.append("  n%d: {kind: hook}\n".formatted(nodes)).toString();
    }

    @Test
    void a_graph_that_is_removed_starts_no_more_jobs_and_those_that_are_open_go_on_to_their_end() {
        String waiting = """
                workflow: leaving
                nodes:
                  asked: {kind: trigger, next: gate}
                  gate: {kind: hook, signal: go}
                output: gate.signal
                """;
        assertThat(atFirst.put("/v1/workflows/leaving/1", body(waiting)).status())
                .isEqualTo(201);
        String open = submit(atSecond, "leaving").text("job_id");

        Http.Reply removed = atFirst.delete("/v1/workflows/leaving/1");

        assertThat(removed.status()).as(removed.body()).isEqualTo(200);
        assertThat(removed.text("removed_at")).isNotEmpty();
        assertThat(atFirst.delete("/v1/workflows/leaving/1").text("removed_at")).isEqualTo(removed.text("removed_at"));
        assertThat(submit(atFirst, "leaving").code()).isEqualTo("unknown_workflow");
        Eventually.holds(
                "the other server hears of it",
                () -> !atSecond.get("/v1/workflows").body().contains("\"leaving\""));
        assertThat(submit(atSecond, "leaving").code()).isEqualTo("unknown_workflow");
        atFirst.post("/v1/jobs/" + open + "/signals/go", "{\"payload\":\"gone\"}", "Idempotency-Key", "go");
        assertThat(atSecond.get("/v1/jobs/" + open + "/result?wait=30").text("output"))
                .isEqualTo("gone");
        assertThat(atSecond.put("/v1/workflows/leaving/1", body(waiting + "# another\n"))
                        .code())
                .isEqualTo("version_taken");

        assertThat(atSecond.put("/v1/workflows/leaving/1", body(waiting)).status())
                .isEqualTo(201);
        assertThat(submit(atSecond, "leaving").status()).isEqualTo(201);
    }

    @Test
    void what_was_not_deployed_is_not_removed() {
        assertThat(atFirst.delete("/v1/workflows/nowhere/1").code()).isEqualTo("not_found");
        assertThat(atFirst.delete("/v1/workflows/sample.order/1").text("detail"))
                .contains("what comes with a server is removed from its directory");
        assertThat(first.member("ned", "member")
                        .delete("/v1/workflows/nowhere/1")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void a_server_that_brings_along_something_else_under_the_same_version_does_not_start() throws IOException {
        deploy(atFirst, "clash", 1, "deployed");
        deploy(atFirst, "agree", 1, "same");
        Path workflows = Files.createDirectories(third.resolve(WorkflowDirectory.NAME));
        Files.writeString(workflows.resolve("agree.yaml"), yaml("agree", 1, "same"));
        ServerUnderTest.on(postgres, third).close();
        Files.writeString(workflows.resolve("clash.yaml"), yaml("clash", 1, "from a file"));

        assertThatThrownBy(() -> ServerUnderTest.on(postgres, third))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("workflow 'clash' version 1 was deployed by admin");
        Http.Reply code = deploy(atFirst, "sample.order", 1, "mine");
        assertThat(code.code()).isEqualTo("version_taken");
    }

    @Test
    void what_is_no_graph_is_refused_with_everything_that_is_wrong() {
        Http.Reply refused = atFirst.put("/v1/workflows/odd/1", body("workflow: odd\nnodes: {}\n"));

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.code()).isEqualTo("graph_refused");
        assertThat(((Json.ArrayValue) refused.at("problems")).elements()).isNotEmpty();
        assertThat(atFirst.put("/v1/workflows/odd/1", body(yaml("other", 1, "x")))
                        .text("detail"))
                .contains("the graph is other version 1");
        assertThat(atFirst.put("/v1/workflows/odd/one", body(yaml("odd", 1, "x")))
                        .code())
                .isEqualTo("graph_refused");
        for (String none :
                List.of("", "42", "[", "a: b: c", "- x", "workflow: [odd]", "workflow: odd\nversion: 1e9\n")) {
            assertThat(atFirst.put("/v1/workflows/odd/1", body(none)).code())
                    .as(none)
                    .isEqualTo("graph_refused");
        }
        assertThat(atFirst.put("/v1/workflows/odd/1", body("a\0b")).code()).isEqualTo("malformed_request");
        assertThat(atFirst.get("/v1/workflows/odd/1").status()).isEqualTo(404);
    }

    @Test
    void only_operators_deploy_and_every_mesh_may_start_what_is_there() {
        deploy(atFirst, "shared", 1, "for all");
        Http tenant = first.mesh("tenant");

        assertThat(deploy(tenant, "theirs", 1, "x").status()).isEqualTo(403);
        assertThat(deploy(first.member("dora", "member"), "hers", 1, "x").status())
                .isEqualTo(403);
        assertThat(run(tenant, "shared")).isEqualTo("for all");
    }
}
