package dev.tallystick.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Json;
import dev.tallystick.server.Http;
import dev.tallystick.server.ServerUnderTest;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tokens that are revoked while requests wait. */
class RevokedTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    @TempDir
    Path data;

    private ServerUnderTest server;
    private Http bob;

    @BeforeEach
    void start() {
        server = ServerUnderTest.on(postgres, data);
        bob = server.member("bob", "member");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void a_stream_ends_with_its_token_and_brings_nothing_that_was_sent_later() throws IOException {
        try (Socket stream = bob.open("GET", "/v1/history/stream?destination=member:bob", "")) {
            waiting(1);

            revoke(bob);
            send();

            assertThat(readToEnd(stream)).contains(": hello").doesNotContain("data:");
        }
    }

    @Test
    void a_stream_ends_with_its_token_also_if_nothing_is_sent() throws IOException {
        try (Socket stream = bob.open("GET", "/v1/history/stream?destination=member:bob", "")) {
            waiting(1);

            revoke(bob);

            assertThat(readToEnd(stream))
                    .as("it ends before the first sign of life")
                    .doesNotContain(": still here");
        }
    }

    private static String readToEnd(Socket stream) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf("\r\n0\r\n\r\n") < 0) {
            int next = stream.getInputStream().read();
            assertThat(next).as("the rest of %s", read).isNotNegative();
            read.append((char) next);
        }
        return read.toString();
    }

    @Test
    void deliveries_are_not_handed_out_to_whom_they_are_kept_from() {
        CompletableFuture<Http.Reply> taking = async(() -> bob.post("/v1/deliveries/lease", "{\"wait_seconds\":60}"));
        waiting(1);

        revoke(bob);
        send();

        assertThat(taking.join().body().strip()).isEqualTo("{\"deliveries\":[]}");
        Http again = server.member("bob", "member");
        assertThat(again.post("/v1/deliveries/lease", "{\"wait_seconds\":20}").body())
                .contains("\"attempt\":1,");
    }

    @Test
    void work_and_results_are_not_told_to_whom_they_are_kept_from() {
        Http worker = server.member("greeter", "worker");
        String greeting = "{\"workflow\":\"sample.greeting\",\"input\":\"ann\"}";
        CompletableFuture<Http.Reply> claiming =
                async(() -> worker.post("/v1/workers/sample.greetings/claim", "{\"wait_seconds\":60}"));
        waiting(1);
        revoke(worker);
        String job = server.admin().submit("k", greeting).text("job_id");
        assertThat(claiming.join().at("work").canonical()).isEqualTo("[]");

        CompletableFuture<Http.Reply> asking = async(() -> bob.get("/v1/jobs/" + job + "/result?wait=60"));
        waiting(1);
        revoke(bob);

        assertThat(asking.join().code()).isEqualTo("unauthenticated");
    }

    private void waiting(int number) {
        Eventually.holds("they wait", () -> server.server().waits().number() == number);
    }

    private void revoke(Http member) {
        String id = member.token().split("_", 3)[1];
        assertThat(server.admin().delete("/v1/tokens/" + id).status()).isEqualTo(204);
    }

    private void send() {
        Http.Reply sent = server.admin()
                .post("/v1/messages", "{\"to\":\"member:bob\",\"message\":\"secret\"}", "Idempotency-Key", "k");
        assertThat(sent.status()).as(sent.body()).isEqualTo(201);
        Eventually.holds(
                "it has a position",
                () -> !server.admin()
                        .get("/v1/history?destination=member:bob")
                        .at("entries")
                        .equals(Json.parse("[]")));
    }

    private static CompletableFuture<Http.Reply> async(Supplier<Http.Reply> request) {
        return CompletableFuture.supplyAsync(request, task -> Thread.ofVirtual().start(task));
    }
}
