package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.DeadLetters;
import dev.tallystick.client.Deliveries;
import dev.tallystick.client.Devices;
import dev.tallystick.client.Jobs;
import dev.tallystick.client.Keys;
import dev.tallystick.client.Members;
import dev.tallystick.client.Meshes;
import dev.tallystick.client.Messages;
import dev.tallystick.client.Postings;
import dev.tallystick.client.Queues;
import dev.tallystick.client.Schedules;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.Tasks;
import dev.tallystick.client.Tokens;
import dev.tallystick.client.Topics;
import dev.tallystick.client.Webhooks;
import dev.tallystick.client.Worker;
import dev.tallystick.client.Workflows;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.testkit.TestPostgres;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a server can do, the Java SDK can ask for by a method. A new route wants its row here. */
class ClientCoverageTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    /** A public method of the SDK. */
    private record Typed(Class<?> owner, String method) {

        boolean exists() {
            return Arrays.stream(owner.getMethods())
                    .filter(candidate -> candidate.getDeclaringClass() == owner)
                    .map(Method::getName)
                    .anyMatch(method::equals);
        }
    }

    private static final Map<String, Typed> TYPED = Map.ofEntries(
            row("POST /v1/jobs", TallyClient.class, "submit"),
            row("GET /v1/jobs", Jobs.class, "list"),
            row("GET /v1/jobs/{id}", Jobs.class, "find"),
            row("GET /v1/jobs/{id}/result", TallyClient.class, "result"),
            row("GET /v1/jobs/{id}/why", Jobs.class, "why"),
            row("GET /v1/jobs/{id}/receipt", Jobs.class, "receipt"),
            row("GET /v1/jobs/{id}/events", Jobs.class, "follow"),
            row("GET /v1/jobs/{id}/activities", Jobs.class, "activities"),
            row("POST /v1/jobs/{id}/signals/{name}", TallyClient.class, "signal"),
            row("POST /v1/jobs/{id}/cancel", TallyClient.class, "cancel"),
            row("POST /v1/jobs/{id}/rerun", TallyClient.class, "rerun"),
            row("POST /v1/jobs/{id}/erase", Jobs.class, "erase"),
            row("POST /v1/jobs/{id}/fork", TallyClient.class, "fork"),
            row("GET /v1/deadletters", DeadLetters.class, "list"),
            row("GET /v1/deadletters/{job}", DeadLetters.class, "find"),
            row("POST /v1/deadletters/{job}/redrive", DeadLetters.class, "redrive"),
            row("DELETE /v1/deadletters/{job}", DeadLetters.class, "discard"),
            row("PUT /v1/schedules/{name}", Schedules.class, "put"),
            row("GET /v1/schedules", Schedules.class, "list"),
            row("GET /v1/schedules/{name}", Schedules.class, "find"),
            row("DELETE /v1/schedules/{name}", Schedules.class, "delete"),
            row("POST /v1/schedules/{name}/pause", Schedules.class, "pause"),
            row("POST /v1/schedules/{name}/resume", Schedules.class, "resume"),
            row("POST /v1/schedules/{name}/trigger", Schedules.class, "trigger"),
            row("GET /v1/workflows", Workflows.class, "list"),
            row("GET /v1/workflows/{name}/{version}", Workflows.class, "find"),
            row("PUT /v1/workflows/{name}/{version}", Workflows.class, "deploy"),
            row("DELETE /v1/workflows/{name}/{version}", Workflows.class, "remove"),
            row("GET /v1/tasks", Tasks.class, "list"),
            row("GET /v1/tasks/{task}", Tasks.class, "find"),
            row("POST /v1/tasks/{task}/claim", Tasks.class, "claim"),
            row("POST /v1/tasks/{task}/release", Tasks.class, "release"),
            row("POST /v1/tasks/{task}/escalate", Tasks.class, "escalate"),
            row("POST /v1/tasks/{task}/resolve", Tasks.class, "resolve"),
            row("GET /v1/keys", Keys.class, "open"),
            row("GET /v1/keys/{key}", Keys.class, "find"),
            row("GET /v1/keys/{key}/proof", Keys.class, "prove"),
            row("POST /v1/keys/{key}/resolve", Keys.class, "resolve"),
            row("POST /v1/keys/{key}/reserve", Keys.class, "reserve"),
            row("POST /v1/keys/{key}/commit", Keys.class, "commit"),
            row("POST /v1/keys/{key}/reject", Keys.class, "reject"),
            row("POST /v1/keys/{key}/release", Keys.class, "release"),
            row("POST /v1/messages", Messages.class, "send"),
            row("POST /v1/messages/batch", Messages.class, "sendAll"),
            row("GET /v1/messages/{id}", Messages.class, "find"),
            row("GET /v1/history", Messages.class, "history"),
            row("GET /v1/history/stream", Messages.class, "follow"),
            row("GET /v1/mentions", Messages.class, "mentions"),
            row("GET /v1/search", Messages.class, "search"),
            row("POST /v1/deliveries/lease", Deliveries.class, "take"),
            row("POST /v1/deliveries/ack", Deliveries.class, "acknowledge"),
            row("POST /v1/deliveries/extend", Deliveries.class, "extend"),
            row("POST /v1/deliveries/release", Deliveries.class, "release"),
            row("POST /v1/webhooks", Webhooks.class, "register"),
            row("GET /v1/webhooks", Webhooks.class, "list"),
            row("GET /v1/webhooks/dead", Webhooks.class, "dead"),
            row("POST /v1/webhooks/{id}/messages/{message}/redrive", Webhooks.class, "redrive"),
            row("DELETE /v1/webhooks/{id}", Webhooks.class, "delete"),
            row("GET /v1/topics", Topics.class, "list"),
            row("PUT /v1/topics/{name}", Topics.class, "create"),
            row("DELETE /v1/topics/{name}", Topics.class, "delete"),
            row("GET /v1/topics/{name}/subscribers", Topics.class, "subscribers"),
            row("PUT /v1/topics/{name}/subscribers/{member}", Topics.class, "subscribe"),
            row("DELETE /v1/topics/{name}/subscribers/{member}", Topics.class, "unsubscribe"),
            row("GET /v1/queues", Queues.class, "list"),
            row("PUT /v1/queues/{name}", Queues.class, "create"),
            row("DELETE /v1/queues/{name}", Queues.class, "delete"),
            row("PUT /v1/devices/{device}", Devices.class, "register"),
            row("POST /v1/devices/{device}/rotate", Devices.class, "rotate"),
            row("GET /v1/devices", Devices.class, "list"),
            row("DELETE /v1/devices/{device}", Devices.class, "revoke"),
            row("GET /v1/me", Members.class, "me"),
            row("GET /v1/members", Members.class, "list"),
            row("GET /v1/members/{name}", Members.class, "find"),
            row("PUT /v1/members/{name}", Members.class, "put"),
            row("DELETE /v1/members/{name}", Members.class, "remove"),
            row("GET /v1/members/{name}/tokens", Tokens.class, "list"),
            row("POST /v1/members/{name}/tokens", Tokens.class, "issue"),
            row("POST /v1/tokens/{id}/rotate", Tokens.class, "rotate"),
            row("DELETE /v1/tokens/{id}", Tokens.class, "revoke"),
            row("GET /v1/meshes", Meshes.class, "list"),
            row("PUT /v1/meshes/{name}", Meshes.class, "create"),
            row("POST /v1/meshes/{name}/admin-token", Meshes.class, "adminToken"),
            row("POST /v1/workers/{topic}/claim", Worker.class, "start"),
            row("POST /v1/workers/{topic}/heartbeat", Worker.class, "start"),
            row("POST /v1/workers/{topic}/result", Worker.class, "start"),
            row("GET /v1/exchange/postings", Postings.class, "list"),
            row("GET /v1/exchange/postings/{posting}", Postings.class, "find"),
            row("POST /v1/exchange/postings/{posting}/replay", Postings.class, "replay"),
            row("GET /v1/exchange/postings/{posting}/bundle", Postings.class, "bundle"),
            row("GET /v1/exchange/issues", Postings.class, "issues"),
            row("POST /v1/exchange/partners/{participant}/reconcile", Postings.class, "reconcile"),
            row("GET /v1/orphans", TallyClient.class, "orphans"),
            row("GET /v1/features", TallyClient.class, "features"));

    private static final String PARTNER = "the exchange of a partner asks: HttpTransport and HttpBooks";

    private static final Map<String, String> FOR_OTHERS = Map.of(
            "GET /health/live", "a load balancer asks",
            "GET /health/ready", "a load balancer asks",
            "GET /metrics", "Prometheus asks, and it is no JSON",
            "GET /openapi.json", "it is for those who write clients in other languages",
            "POST /v1/exchange/{topic}/{participant}", PARTNER,
            "GET /v1/exchange/books/{participant}", PARTNER,
            "GET /v1/exchange/books/{participant}/{books}/{day}", PARTNER,
            "GET /v1/exchange/books/{participant}/{books}/{day}/{node}", PARTNER,
            "POST /v1/exchange/books/{participant}/{books}/{day}/entries", PARTNER);

    private static Map.Entry<String, Typed> row(String route, Class<?> owner, String method) {
        return Map.entry(route, new Typed(owner, method));
    }

    @Test
    void every_route_has_a_method_or_a_reason_for_having_none() {
        Set<String> known = new TreeSet<>(TYPED.keySet());
        known.addAll(FOR_OTHERS.keySet());
        List<String> routes;
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            routes = server.server().table().routes().stream()
                    .map(Route::toString)
                    .toList();
        }

        assertThat(known).containsExactlyInAnyOrderElementsOf(routes);
        assertThat(TYPED.keySet()).doesNotContainAnyElementsOf(FOR_OTHERS.keySet());
    }

    @Test
    void every_record_of_a_route_is_written_where_the_client_reads_it() {
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            assertThat(server.server().table().routes())
                    .flatMap(route -> Stream.of(route.request(), route.response())
                            .filter(Objects::nonNull)
                            .toList())
                    .filteredOn(record -> !record.getPackageName().equals("dev.tallystick.core.api"))
                    .isEmpty();
        }
    }

    @Test
    void every_method_exists() {
        Map<String, Typed> missing = new TreeMap<>(TYPED);
        missing.values().removeIf(Typed::exists);

        assertThat(missing).isEmpty();
    }

    @Test
    void every_class_is_reached_from_the_client() {
        Set<Class<?>> reached = new HashSet<>(Set.of(TallyClient.class, Worker.class));
        for (Method method : TallyClient.class.getMethods()) {
            reached.add(method.getReturnType());
        }

        assertThat(TYPED.values()).extracting(Typed::owner).allMatch(reached::contains);
    }
}
