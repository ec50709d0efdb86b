package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.broker.NewMessageSignal;
import dev.tallystick.broker.message.History;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.Message;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.server.routes.ServerSentEvents;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import io.helidon.webserver.CloseConnectionException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server that stops while others wait for it. */
class StoppingTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    private final LongPolls longPolls = new LongPolls(Duration.ofMinutes(1));

    @Test
    void whoever_waits_is_answered_at_once(@TempDir Path data) {
        String reservation = "{\"fingerprint\":\"" + "ab".repeat(32) + "\"}";
        List<CompletableFuture<Http.Reply>> refused;
        List<CompletableFuture<Http.Reply>> others;
        RouteTable table;
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Http admin = server.admin();
            Http worker = server.member("greeter", "worker");
            String job = admin.submit("k", "{\"workflow\":\"sample.greeting\",\"input\":\"ann\"}")
                    .text("job_id");
            admin.post("/v1/keys/k/reserve", reservation);
            table = server.server().table();
            refused = List.of(
                    async(() -> admin.get("/v1/jobs/" + job + "/result?wait=60")),
                    async(() -> admin.post("/v1/keys/k/reserve", reservation)));
            others = List.of(
                    async(() -> admin.get("/v1/jobs/" + job + "/events?wait=60&after=" + Long.MAX_VALUE)),
                    async(() -> admin.post("/v1/deliveries/lease", "{\"wait_seconds\":60}")),
                    async(() -> worker.post("/v1/workers/nothing.to.do/claim", "{\"wait_seconds\":60}")));
            Eventually.holds("all of them wait", () -> server.server().waits().number() == 5);
        }

        assertThat(refused).extracting(reply -> reply.join().code()).containsOnly("stopping");
        assertThat(refused)
                .extracting(reply -> reply.join().header("Connection").toLowerCase(Locale.ROOT))
                .containsOnly("close");
        assertThat(List.of(
                        table.find("GET", "/v1/jobs/k/result").route(),
                        table.find("POST", "/v1/keys/k/reserve").route()))
                .as("as these say of themselves")
                .allSatisfy(route -> assertThat(route.problems()).contains(ProblemCode.STOPPING));
        assertThat(others).extracting(reply -> reply.join().status()).containsOnly(200);
        assertThat(others)
                .extracting(reply -> reply.join().body())
                .satisfiesExactly(
                        events -> assertThat(events).contains("\"events\":[]"),
                        deliveries -> assertThat(deliveries).contains("\"deliveries\":[]"),
                        work -> assertThat(work).contains("\"work\":[]"));
    }

    private static CompletableFuture<Http.Reply> async(Supplier<Http.Reply> request) {
        return CompletableFuture.supplyAsync(request, task -> Thread.ofVirtual().start(task));
    }

    @Test
    void a_wait_ends_with_its_server() {
        Signal begun = new Signal("it waits");
        CompletableFuture<Object> waiting = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (LongPolls.Waiting request = longPolls.begin("default")) {
                request.in(() -> {
                    begun.fire();
                    new CountDownLatch(1).await();
                    return true;
                });
            } catch (InterruptedException e) {
                waiting.completeExceptionally(e);
            }
        });
        begun.await();

        longPolls.endAll();

        assertThatThrownBy(waiting::join).hasCauseInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> longPolls.begin("default").pause(Duration.ofHours(1)))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void a_request_waits_as_a_whole_and_is_interrupted_in_its_naps_alone() throws InterruptedException {
        try (LongPolls.Waiting request = longPolls.begin("default")) {
            request.pause(Duration.ofMillis(1));
            longPolls.endAll();

            assertThat(longPolls.number()).isEqualTo(1);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThatThrownBy(() -> request.pause(Duration.ofHours(1))).isInstanceOf(InterruptedException.class);
        }
        assertThat(longPolls.number()).isZero();
    }

    @Test
    void a_long_history_is_not_read_to_its_end() {
        Message message = new Message(
                new UUID(0, 1), "default", "admin", null, Envelope.ofJob("x", Json.ofNull()), Instant.EPOCH, null);
        Member admin = new Member("default", "admin", Set.of(Role.ADMIN));
        Call call = new Call(admin, () -> admin, Map.of(), Map.of(), null, null, null, new byte[0]);
        ServerSentEvents.Reader endless = (after, limit) -> {
            longPolls.endAll();
            return new History.Page(
                    Collections.nCopies(limit, new History.Entry(after, new UUID(0, 2), message)), after + limit);
        };

        Answer.Stream stream =
                (Answer.Stream) new ServerSentEvents(new NewMessageSignal(), longPolls).from(call, 0, endless);

        assertThatThrownBy(() -> stream.writer().write(OutputStream.nullOutputStream()))
                .isInstanceOf(CloseConnectionException.class);
    }

    @Test
    void what_came_at_the_last_moment_is_not_disturbed() throws InterruptedException {
        AtomicBoolean interrupted = new AtomicBoolean();
        String found = longPolls.begin("default").in(() -> {
            longPolls.endAll();
            interrupted.set(Thread.currentThread().isInterrupted());
            return "it";
        });

        assertThat(found).isEqualTo("it");
        assertThat(interrupted).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }
}
