package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server that is told to stop while others wait for it. */
class StoppingTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

    private final Waits waits = new Waits(Duration.ofMinutes(1));

    @Test
    void whoever_waits_is_answered_at_once(@TempDir Path data) {
        CompletableFuture<Http.Reply> result;
        List<CompletableFuture<Http.Reply>> others;
        try (ServerUnderTest server = ServerUnderTest.on(postgres, data)) {
            Http admin = server.admin();
            Http worker = server.member("greeter", "worker");
            String job = admin.submit("k", "{\"workflow\":\"sample.greeting\",\"input\":\"ann\"}")
                    .text("job_id");
            result = async(() -> admin.get("/v1/jobs/" + job + "/result?wait=60"));
            others = List.of(
                    async(() -> admin.get("/v1/jobs/" + job + "/events?wait=60&after=" + Long.MAX_VALUE)),
                    async(() -> admin.post("/v1/deliveries/lease", "{\"wait_seconds\":60}")),
                    async(() -> worker.post("/v1/workers/nothing.to.do/claim", "{\"wait_seconds\":60}")));
            Eventually.holds("all of them wait", () -> server.server().waits().number() == 4);
        }

        assertThat(result.join().code()).isEqualTo("stopping");
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
            try {
                waits.in(() -> {
                    begun.fire();
                    new CountDownLatch(1).await();
                    return true;
                });
            } catch (InterruptedException e) {
                waiting.completeExceptionally(e);
            }
        });
        begun.await();

        waits.endAll();

        assertThatThrownBy(waiting::join).hasCauseInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> waits.pause(Duration.ofHours(1))).isInstanceOf(InterruptedException.class);
    }

    @Test
    void what_came_at_the_last_moment_is_not_disturbed() throws InterruptedException {
        AtomicBoolean interrupted = new AtomicBoolean();
        String found = waits.in(() -> {
            waits.endAll();
            interrupted.set(Thread.currentThread().isInterrupted());
            return "it";
        });

        assertThat(found).isEqualTo("it");
        assertThat(interrupted).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }
}
