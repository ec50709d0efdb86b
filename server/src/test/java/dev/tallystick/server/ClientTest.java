package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.client.Worker;
import dev.tallystick.client.mint.KeyMint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.JobApi.JobView;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOError;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The Java SDK against a real server. */
class ClientTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final Duration SOON = Duration.ofSeconds(30);

    private static ServerUnderTest server;
    private static TallyClient client;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        client = clientOf("shop", "member");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static TallyClient clientOf(String name, String role) {
        Http http = server.member(name, role);
        return new TallyClient(http.server(), http.token());
    }

    private static TallyClient.NewJob order(String name) {
        return TallyClient.NewJob.of("sample.order", new Json.ObjectValue(Map.of("order", Json.of(name))));
    }

    @Test
    void a_job_is_submitted_once_under_its_key_and_its_result_is_read() {
        IdempotencyKey key = new IdempotencyKey("c:1");

        TallyClient.Submitted first = client.submit(order("1"), key);
        TallyClient.Submitted again = client.submit(order("1"), key);
        TallyClient.Result result = client.result(first.job(), SOON);

        assertThat(first.duplicate()).isFalse();
        assertThat(again.duplicate()).isTrue();
        assertThat(again.job()).isEqualTo(first.job());
        assertThat(result.status()).isEqualTo("completed");
    }

    @Test
    void a_key_that_a_header_cannot_carry_is_not_sent() {
        assertThatThrownBy(() -> client.submit(order("3"), new IdempotencyKey("ü1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ASCII");
    }

    @Test
    void a_refusal_has_a_code_and_is_not_repeated() {
        client.submit(order("2"), new IdempotencyKey("c:2"));

        assertThatThrownBy(() -> client.submit(order("other"), new IdempotencyKey("c:2")))
                .isInstanceOfSatisfying(RefusedException.class, refused -> {
                    assertThat(refused.code()).isEqualTo("idempotency_key_reused");
                    assertThat(refused.member("bound_fingerprint")).isPresent();
                });
    }

    @Test
    void a_server_that_is_not_there_is_unavailable_and_nothing_happened() throws IOException {
        URI nowhere;
        try (ServerSocket socket = new ServerSocket(0)) {
            nowhere = URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }

        assertThatThrownBy(() -> new TallyClient(nowhere, "t", Duration.ofSeconds(2))
                        .submit(order("3"), new IdempotencyKey("c:3")))
                .isInstanceOf(UnavailableException.class);
    }

    @Test
    void a_server_that_hangs_up_leaves_the_outcome_unknown() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            Thread.ofVirtual().start(() -> hangUpOnEverybody(socket));
            URI deaf = URI.create("http://127.0.0.1:" + socket.getLocalPort());

            assertThatThrownBy(() -> new TallyClient(deaf, "t", Duration.ofSeconds(2))
                            .submit(order("4"), new IdempotencyKey("c:4")))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("c:4");
        }
    }

    private static void hangUpOnEverybody(ServerSocket socket) {
        try {
            while (true) {
                try (Socket caller = socket.accept()) {
                    byte[] unused = caller.getInputStream().readNBytes(10);
                }
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    @Test
    void a_purpose_keeps_its_key_over_a_crash_until_it_is_settled(@TempDir Path directory) {
        Path file = directory.resolve("mint");
        IdempotencyKey key;
        try (KeyMint mint = KeyMint.open(file, "web-1", new SecureRandom())) {
            key = mint.keyFor("order 42");
            mint.settled("order 43", mint.keyFor("order 43"));
        }
        try (KeyMint mint = KeyMint.open(file, "web-1", new SecureRandom())) {
            assertThat(mint.unsettled()).containsExactly("order 42");
            assertThat(mint.keyFor("order 42")).isEqualTo(key);
            TallyClient.Submitted submitted = client.submit(order("42"), mint, "order 42");
            assertThat(submitted.duplicate()).isFalse();
            assertThat(mint.unsettled()).isEmpty();
            assertThat(mint.keyFor("order 42").minted().orElseThrow().sequence())
                    .isEqualTo(3);
        }
    }

    @Test
    void a_mint_is_open_once(@TempDir Path directory) {
        Path file = directory.resolve("mint");
        try (KeyMint mint = KeyMint.open(file, "web-1", new SecureRandom())) {
            assertThatThrownBy(() -> KeyMint.open(file, "web-1", new SecureRandom()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in use");
            assertThat(mint.unsettled()).isEmpty();
        }
    }

    @Test
    void a_worker_does_what_a_graph_has_for_its_topic() {
        AtomicInteger attempts = new AtomicInteger();
        UUID job;
        TallyClient.Result result;
        try (Worker worker = Worker.start(clientOf("greeter", "worker"), "sample.greetings", 2, work -> {
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("not in the mood");
            }
            return Json.of("hello " + work.input().canonical() + " at attempt " + work.attempt());
        })) {
            job = client.submit(TallyClient.NewJob.of("sample.greeting", Json.of("ann")), new IdempotencyKey("greet:1"))
                    .job();
            result = client.result(job, SOON);
        }

        assertThat(result.status()).isEqualTo("completed");
        assertThat(String.valueOf(result.output())).contains("at attempt 2");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void work_that_is_hopeless_fails_its_job_at_once() {
        try (Worker worker = Worker.start(clientOf("pessimist", "worker"), "sample.greetings", 1, work -> {
            throw new Worker.Hopeless("no one to greet");
        })) {
            UUID job = client.submit(
                            TallyClient.NewJob.of("sample.greeting", Json.ofNull()), new IdempotencyKey("greet:2"))
                    .job();
            TallyClient.Result result = client.result(job, SOON);
            assertThat(result.status()).isEqualTo("failed");
            assertThat(result.error()).contains("no one to greet");
        }
    }

    @Test
    void an_error_fails_its_attempt_as_an_exception_does() {
        Signal seen = new Signal("the failure of the first attempt is seen");
        try (Worker worker = Worker.start(clientOf("stumbler", "worker"), "sample.greetings", 1, work -> {
            if (work.attempt() == 1) {
                throw new IOError(new IOException("planted"));
            }
            seen.await();
            return Json.of("hello");
        })) {
            UUID job = client.submit(
                            TallyClient.NewJob.of("sample.greeting", Json.ofNull()), new IdempotencyKey("greet:5"))
                    .job();
            Eventually.holds("the first attempt failed", () -> {
                JobView.LastFailure last = client.jobs().find(job).lastError();
                return last != null && last.error().contains("planted");
            });
            seen.fire();

            assertThat(client.result(job, SOON).status()).isEqualTo("completed");
        }
    }

    @Test
    void a_result_that_is_too_large_fails_its_job_with_the_reason() {
        try (Worker worker = Worker.start(
                clientOf("novelist", "worker"), "sample.greetings", 1, work -> Json.of("hello".repeat(220_000)))) {
            UUID job = client.submit(
                            TallyClient.NewJob.of("sample.greeting", Json.ofNull()), new IdempotencyKey("greet:3"))
                    .job();
            TallyClient.Result result = client.result(job, SOON);
            assertThat(result.status()).isEqualTo("failed");
            assertThat(result.error()).contains("payload_too_large");
        }
    }

    @Test
    void a_worker_with_more_room_than_a_claim_may_ask_for_works() {
        try (Worker worker = Worker.start(
                clientOf("crowd", "worker"), "sample.greetings", 150, work -> Json.of("hello from many"))) {
            UUID job = client.submit(
                            TallyClient.NewJob.of("sample.greeting", Json.ofNull()), new IdempotencyKey("greet:4"))
                    .job();
            assertThat(client.result(job, SOON).status()).isEqualTo("completed");
            assertThat(worker.failure()).isEmpty();
        }
    }

    @Test
    void a_worker_that_is_refused_ends_and_says_why() throws InterruptedException {
        try (Worker worker =
                Worker.start(clientOf("intruder", "member"), "sample.greetings", 1, work -> Json.of("never said"))) {
            worker.awaitEnd();

            assertThat(worker.failure())
                    .containsInstanceOf(RefusedException.class)
                    .hasValueSatisfying(why -> assertThat(why).hasMessageContaining("forbidden"));
        }
    }
}
