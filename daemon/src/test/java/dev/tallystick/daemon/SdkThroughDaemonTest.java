package dev.tallystick.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.DaemonClient;
import dev.tallystick.client.DaemonClient.Handed;
import dev.tallystick.client.Messages.NewMessage;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyClient.NewJob;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The SDK's way through a daemon, with a real one. */
class SdkThroughDaemonTest {

    @RegisterExtension
    static final TestPostgres POSTGRES = TestPostgres.perTest();

    private static final Json ORDER = Json.parse("{\"order\":\"42\"}");

    private final List<String> logged = new ArrayList<>();

    @TempDir
    Path folder;

    private static IdempotencyKey key(String text) {
        return new IdempotencyKey(text);
    }

    @Test
    void what_is_handed_over_is_kept_here_until_it_is_accepted_there() {
        Path directory = folder.resolve("d");
        DaemonClient client = TallyClient.throughDaemon(directory);
        NewMessage hello = NewMessage.toTopic("alerts", Json.of("hello")).mentioning("admin");
        NewJob job = NewJob.of("sample.order", ORDER).withVersion(1).withAttribute("customer", "ann");
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            assertThat(client.isRunning()).isTrue();
            assertThat(client.send(hello, key("m"))).isInstanceOf(Handed.KeptHere.class);
            assertThat(client.send(hello, key("m"))).isInstanceOf(Handed.KeptHere.class);
            assertThat(client.submit(job, key("j"))).isInstanceOf(Handed.KeptHere.class);
            assertThatThrownBy(() -> client.send(NewMessage.toTopic("alerts", Json.of("other")), key("m")))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.member("conflict").toString())
                                    .contains("fingerprint_mismatch"));
            assertThat(daemon).isNotNull();
        }
        assertThat(client.isRunning()).isFalse();

        try (RealServer server = RealServer.on(POSTGRES, folder.resolve("server"))) {
            server.admin().topics().create("alerts");
            String token = server.member("laptop");
            try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory, server.address(), token))) {
                Handed.AcceptedThere message = (Handed.AcceptedThere) Eventually.value(
                        "the message is accepted",
                        () -> client.send(hello, key("m")),
                        Handed.AcceptedThere.class::isInstance);
                Handed.AcceptedThere started = (Handed.AcceptedThere) Eventually.value(
                        "the job is accepted",
                        () -> client.submit(job, key("j")),
                        Handed.AcceptedThere.class::isInstance);
                TallyClient direct = new TallyClient(server.address(), token);

                assertThat(direct.messages().find(message.message()).body()).isEqualTo(Json.of("hello"));
                assertThat(direct.jobs().findByKey(key("j")).jobId()).isEqualTo(started.message());
                assertThat(direct.jobs().findByKey(key("j")).attributes()).containsEntry("customer", "ann");
                assertThat(daemon).isNotNull();
            }
        }
    }

    @Test
    void the_guide_hands_a_job_over() {
        Path directory = folder.resolve("d");
        Json input = ORDER;
        try (Daemon running = DaemonUnderTest.offline(directory)) {
            DaemonClient daemon = TallyClient.throughDaemon(directory);
            switch (daemon.submit(NewJob.of("order", input), new IdempotencyKey("order:42"))) {
                case DaemonClient.Handed.KeptHere kept ->
                    log("kept here, " + kept.status().word());
                case DaemonClient.Handed.AcceptedThere accepted -> log("accepted there as " + accepted.message());
            }
            assertThat(running.outbox().list(null, 0, 10)).hasSize(1);
        }
        assertThat(logged).containsExactly("kept here, queued");
    }

    private void log(String line) {
        logged.add(line);
    }

    @Test
    void a_stopped_daemon_means_that_nothing_was_kept() {
        DaemonClient client = TallyClient.throughDaemon(folder, Duration.ofMillis(100));

        assertThatThrownBy(() -> client.submit(NewJob.of("sample.order", ORDER), key("j")))
                .isInstanceOf(UnavailableException.class);
    }
}
