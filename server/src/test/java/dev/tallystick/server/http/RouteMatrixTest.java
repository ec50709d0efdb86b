package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.server.WhoMay;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What holds for every route, checked for every row of the table. */
class RouteMatrixTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final String UNKNOWN = "tally_0123456789abcdef_" + "A".repeat(43);

    private static ServerUnderTest server;
    private static final Map<Role, Http> ROLES = new EnumMap<>(Role.class);

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        for (Role role : Role.values()) {
            ROLES.put(role, server.member("has-" + role.word(), role.word()));
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<Route> guarded() {
        return server.server().table().routes().stream()
                .filter(route -> !who(route).isEverybody())
                .toList();
    }

    private static WhoMay who(Route route) {
        return Objects.requireNonNull(WhoMay.BY_ROUTE.get(route.toString()), route + " is not in the list");
    }

    @Test
    void who_may_use_a_route_is_written_down_for_each_of_them() {
        assertThat(server.server().table().routes())
                .extracting(Route::toString)
                .containsExactlyInAnyOrderElementsOf(WhoMay.BY_ROUTE.keySet());
    }

    @Test
    void what_is_for_everybody_is_answered_without_a_token() {
        for (Route route : server.server().table().routes()) {
            if (who(route).isEverybody()) {
                assertThat(ask(server.anonymous(), route).status())
                        .as(route.toString())
                        .isEqualTo(200);
            }
        }
    }

    private static Http.Reply ask(Http http, Route route) {
        String path = route.path()
                .text()
                .replace("{member}", "has-member")
                .replaceAll("\\{[^}]*}", "00000000-0000-7000-8000-000000000000");
        // A stream would last for a minute: an invalid position ends it.
        String query = path.endsWith("/stream") ? "?destination=topic:x&after=x" : "";
        return http.send(route.method(), path + query, route.request() == null ? null : "{}");
    }

    private static void allAreRefused(Http http, int status, String code) {
        SoftAssertions all = new SoftAssertions();
        for (Route route : guarded()) {
            Http.Reply reply = ask(http, route);
            all.assertThat(reply.status()).as(route + " " + reply.body()).isEqualTo(status);
            all.assertThat(reply.body()).as(route.toString()).contains("\"code\":\"" + code + "\"");
        }
        all.assertAll();
    }

    @Test
    void without_a_token_every_guarded_route_refuses() {
        allAreRefused(server.anonymous(), 401, "unauthenticated");
    }

    @Test
    void with_a_token_that_nobody_issued_every_guarded_route_refuses() {
        allAreRefused(server.anonymous().as(UNKNOWN), 401, "unauthenticated");
        allAreRefused(server.anonymous().as("nonsense"), 401, "unauthenticated");
    }

    @Test
    void with_a_revoked_token_every_guarded_route_refuses() {
        Http revoked = server.member("leaver", "admin");
        String id = revoked.token().split("_", 3)[1];
        assertThat(server.admin().delete("/v1/tokens/" + id).status()).isEqualTo(204);

        allAreRefused(revoked, 401, "unauthenticated");
    }

    @Test
    void with_an_expired_token_every_guarded_route_refuses() {
        server.member("guest", "admin");
        Http guest = server.admin()
                .as(server.admin()
                        .post("/v1/members/guest/tokens", "{\"valid_seconds\":1}")
                        .text("token"));
        Eventually.holds("the token expires", () -> guest.get("/v1/me").status() == 401);

        allAreRefused(guest, 401, "unauthenticated");
    }

    @Test
    void without_the_role_every_guarded_route_refuses() {
        SoftAssertions all = new SoftAssertions();
        for (Route route : guarded()) {
            for (Role role : Role.values()) {
                boolean may = who(route).roles().contains(role);
                int status = ask(Objects.requireNonNull(ROLES.get(role)), route).status();
                all.assertThat(status == 403)
                        .as(route + " as " + role + ": " + status)
                        .isEqualTo(!may);
            }
        }
        all.assertAll();
    }

    @Test
    void the_admin_of_another_mesh_is_no_operator() {
        Http other = server.mesh("tenant");

        for (Route route : guarded()) {
            assertThat(ask(other, route).status() == 403)
                    .as(route.toString())
                    .isEqualTo(who(route).isOperator());
        }
    }

    @Test
    void what_another_mesh_has_looks_exactly_like_what_nobody_has() {
        Http mine = server.mesh("mine");
        Http theirs = server.mesh("theirs");
        Map<String, String> names = theirThings(theirs);

        SoftAssertions all = new SoftAssertions();
        for (Route route : guarded()) {
            if (route.path().names().isEmpty() || who(route).isOperator()) {
                continue;
            }
            String real = named(route, names);
            String none = named(route, NONE);
            Http.Reply one = mine.send(route.method(), real, body(route), "Idempotency-Key", "k1");
            Http.Reply other = mine.send(route.method(), none, body(route), "Idempotency-Key", "k2");
            all.assertThat(one.status()).as(route.toString()).isEqualTo(other.status());
            all.assertThat(blank(one.body(), names)).as(route.toString()).isEqualTo(blank(other.body(), NONE));
        }
        // None of this was hidden because it does not exist, and none of it is gone.
        for (Route route : guarded()) {
            if (OWN.contains(route.toString())) {
                all.assertThat(theirs.get(named(route, names)).status())
                        .as(route + " as its own")
                        .isEqualTo(200);
            }
        }
        all.assertThat(theirs.delete("/v1/tokens/" + names.get("tokens")).status())
                .isEqualTo(204);
        all.assertThat(theirs.delete("/v1/webhooks/" + names.get("webhooks")).status())
                .isEqualTo(204);
        all.assertAll();
    }

    private static final Set<String> OWN = Set.of(
            "GET /v1/jobs/{id}",
            "GET /v1/jobs/{id}/why",
            "GET /v1/jobs/{id}/events",
            "GET /v1/jobs/{id}/activities",
            "GET /v1/members/{name}",
            "GET /v1/members/{name}/tokens",
            "GET /v1/messages/{id}",
            "GET /v1/keys/{key}",
            "GET /v1/deadletters/{job}",
            "GET /v1/tasks/{task}",
            "GET /v1/schedules/{name}",
            "GET /v1/topics/{name}/subscribers");

    /** What stands for each name of a path; for an id, what stands for that of the collection. */
    private static final Map<String, String> NONE = Map.ofEntries(
            Map.entry("jobs", "00000000-0000-7000-8000-000000000000"),
            Map.entry("messages", "00000000-0000-7000-8000-000000000000"),
            Map.entry("webhooks", "00000000-0000-7000-8000-000000000000"),
            Map.entry("message", "00000000-0000-7000-8000-000000000000"),
            Map.entry("tokens", "0123456789abcdef"),
            Map.entry("name", "none"),
            Map.entry("topic", "none"),
            Map.entry("member", "unknown"),
            Map.entry("key", "none"),
            Map.entry("job", "00000000-0000-7000-8000-000000000000"),
            Map.entry("task", "00000000-0000-7000-8000-000000000000"),
            Map.entry("version", "1"),
            Map.entry("device", "none"));

    private static final String DEVICE_KEY = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

    /** Makes one of each, in a mesh that is not the reader's. */
    private static Map<String, String> theirThings(Http theirs) {
        theirs.put("/v1/topics/secrets", "{}");
        theirs.put("/v1/members/spy", "{\"roles\":[\"member\"]}");
        String job = theirs.submit("k", "{\"workflow\":\"sample.approval\",\"input\":{\"order\":\"x\"}}")
                .text("job_id");
        String failed = theirs.submit("f", "{\"workflow\":\"sample.order\",\"input\":\"none\"}")
                .text("job_id");
        theirs.get("/v1/jobs/" + failed + "/result?wait=30");
        theirs.submit("t", "{\"workflow\":\"sample.review\",\"input\":{\"order\":\"x\"}}");
        theirs.put("/v1/schedules/secrets", "{\"workflow\":\"sample.order\",\"cron\":\"0 3 * * *\"}");
        List<Json> tasks = Eventually.value(
                "a task is asked",
                () -> ((Json.ArrayValue) theirs.get("/v1/tasks").at("tasks")).elements(),
                found -> !found.isEmpty());
        String task = ((Json.ObjectValue) tasks.getFirst()).members().get("task_id") instanceof Json.StringValue id
                ? id.value()
                : "";
        theirs.put("/v1/devices/laptop", "{\"public_key\":\"" + DEVICE_KEY + "\"}");
        theirs.post("/v1/keys/k/reserve", "{\"fingerprint\":\"" + "ab".repeat(32) + "\"}", "Idempotency-Key", "unused");
        Http.Reply hook =
                theirs.post("/v1/webhooks", "{\"source\":\"topic:secrets\",\"url\":\"https://example.org/\"}");
        return Map.ofEntries(
                Map.entry("jobs", job),
                Map.entry("messages", job),
                Map.entry("message", job),
                Map.entry(
                        "webhooks",
                        new Http.Reply(hook.status(), hook.at("webhook").canonical(), Map.of()).text("id")),
                Map.entry("tokens", theirs.post("/v1/members/spy/tokens", "{}").text("id")),
                Map.entry("name", "secrets"),
                Map.entry("topic", "sample.greetings"),
                Map.entry("member", "spy"),
                Map.entry("key", "k"),
                Map.entry("job", failed),
                Map.entry("task", task),
                Map.entry("version", "1"),
                Map.entry("device", "laptop"));
    }

    private static String named(Route route, Map<String, String> names) {
        String path = route.path().text();
        for (String name : route.path().names()) {
            String collection = path.split("/")[2];
            String of = name.equals("id") ? collection : collection.equals("members") ? "member" : name;
            path = path.replace("{" + name + "}", Objects.requireNonNull(names.get(of), of));
        }
        return path;
    }

    private static @Nullable String body(Route route) {
        return switch (route.toString()) {
            case "POST /v1/keys/{key}/reserve" ->
                "{\"fingerprint\":\"" + "cd".repeat(32)
                        + "\",\"reservation_id\":\"00000000-0000-7000-8000-000000000001\"}";
            case "POST /v1/keys/{key}/commit", "POST /v1/keys/{key}/reject", "POST /v1/keys/{key}/release" ->
                "{\"reservation_id\":\"00000000-0000-7000-8000-000000000002\",\"fence\":1}";
            case "POST /v1/keys/{key}/resolve" ->
                "{\"member\":\"spy\",\"outcome\":\"committed\",\"fence\":1,"
                        + "\"reservation_id\":\"00000000-0000-7000-8000-000000000002\"}";
            case "POST /v1/workers/{topic}/heartbeat" -> "{\"work\":[]}";
            case "POST /v1/workers/{topic}/result" ->
                "{\"job_id\":\"00000000-0000-7000-8000-000000000002\","
                        + "\"work_id\":\"00000000-0000-7000-8000-000000000002\",\"fence\":1}";
            case "POST /v1/jobs/{id}/fork" -> "{\"step\":\"reserve\"}";
            case "POST /v1/tasks/{task}/escalate" -> "{\"group\":\"chiefs\"}";
            case "PUT /v1/schedules/{name}" -> "{\"workflow\":\"nowhere\",\"cron\":\"0 3 * * *\"}";
            case "PUT /v1/devices/{device}" -> "{\"public_key\":\"none\"}";
            case "POST /v1/devices/{device}/rotate" ->
                "{\"public_key\":\"" + DEVICE_KEY + "\",\"replaces\":\"" + DEVICE_KEY + "\"}";
            case "PUT /v1/members/{name}" -> "{\"roles\":[]}";
            default -> route.request() == null ? null : "{}";
        };
    }

    /** Without what was asked for, which an answer may repeat, and without times. */
    private static String blank(String body, Map<String, String> names) {
        String blank = body.replaceAll("\"20[^\"]*Z\"", "\"…\"");
        for (String name : names.values()) {
            blank = blank.replace("\"" + name + "\"", "\"…\"").replace("'" + name + "'", "'…'");
        }
        return blank;
    }

    @Test
    void a_member_that_a_route_does_not_know_is_refused() {
        for (Route route : server.server().table().routes()) {
            if (route.request() != null) {
                String path = route.path().text().replaceAll("\\{[^}]*}", "x");
                Http.Reply reply =
                        server.admin().send(route.method(), path, "{\"no_such_member\":1}", "Idempotency-Key", "k");
                assertThat(reply.status()).as(route.toString()).isEqualTo(400);
                assertThat(reply.code()).isEqualTo("malformed_request");
            }
        }
    }

    @Test
    void a_character_that_no_name_has_is_refused_wherever_it_stands() {
        for (Route route : server.server().table().routes()) {
            String body = route.request() == null ? null : "{}";
            String path = route.path().text().replaceAll("\\{[^}]*}", "a%00b");
            String query = route.query().isEmpty()
                    ? ""
                    : "?" + route.query().firstEntry().getKey().replace("*", "x") + "=%00";
            if (path.contains("%00") || !query.isEmpty()) {
                Http.Reply reply = server.admin().send(route.method(), path + query, body, "Idempotency-Key", "nul");
                assertThat(reply.status()).as(route + " " + reply.body()).isEqualTo(400);
            }
        }
    }

    @Test
    void the_openapi_document_has_every_route_and_no_other() {
        Json.ObjectValue document =
                (Json.ObjectValue) server.anonymous().get("/openapi.json").json();
        List<String> documented = new ArrayList<>();
        ((Json.ObjectValue) Objects.requireNonNull(document.members().get("paths")))
                .members()
                .forEach((path, operations) -> ((Json.ObjectValue) operations)
                        .members()
                        .keySet()
                        .forEach(method -> documented.add(method.toUpperCase(Locale.ROOT) + " " + path)));

        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(server.server().table().routes().stream()
                        .map(Route::toString)
                        .toList());
    }

    @Test
    void the_openapi_document_names_what_values_may_be() {
        String document = server.anonymous().get("/openapi.json").body();

        assertThat(document)
                .contains("\"max\":{\"default\":10,\"maximum\":500,\"minimum\":1,\"type\":\"integer\"}")
                .contains("\"priority\":{\"default\":\"next\",\"enum\":[\"now\",\"next\",\"low\"],\"type\":\"string\"}")
                .contains("\"for_good\":{\"default\":false,\"type\":\"boolean\"}")
                .contains("\"schema\":{\"default\":50,\"maximum\":500,\"minimum\":1,\"type\":\"integer\"}")
                .contains("\"enum\":[\"admin\",\"member\",\"worker\",\"observer\",\"partner\"]")
                .contains("\"enum\":[\"recorded\",\"job_closed\"]");
    }

    @Test
    void every_route_says_what_it_does_and_what_it_refuses() {
        assertThat(server.server().table().routes())
                .allSatisfy(route ->
                        assertThat(route.summary()).as(route.toString()).endsWith("."));
        assertThat(server.server().table().routes())
                .extracting(route -> route.method() + " " + route.path().text())
                .doesNotHaveDuplicates();
    }

    @Test
    void the_page_about_errors_lists_every_code_and_no_other() throws IOException {
        Path page = Path.of(System.getProperty("tally.root", "..")).resolve("docs/errors.md");
        List<String> rows;
        try (Stream<String> lines = Files.lines(page)) {
            rows = lines.filter(line -> line.startsWith("| `")).toList();
        }

        assertThat(rows)
                .extracting(row -> row.split("\\|", -1)[1].strip()
                        + row.split("\\|", -1)[2].strip()
                        + row.split("\\|", -1)[3].strip())
                .containsExactlyElementsOf(Stream.of(ProblemCode.values())
                        .map(code -> "`" + code.word() + "`" + code.status()
                                + code.lasting().word())
                        .toList());
    }

    @Test
    void a_path_that_leads_nowhere_and_a_method_that_is_not_meant_are_told_apart() {
        assertThat(server.anonymous().get("/nowhere").status()).isEqualTo(404);
        Http.Reply other = server.anonymous().delete("/v1/jobs");
        assertThat(other.status()).isEqualTo(405);
        assertThat(new TreeSet<>(List.of(other.header("Allow").split(", ")))).containsExactly("GET", "POST");
    }
}
