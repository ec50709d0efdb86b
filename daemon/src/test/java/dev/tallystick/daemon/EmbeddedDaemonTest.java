package dev.tallystick.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.Messages.NewMessage;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyClient.NewJob;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.local.LocalServer;
import dev.tallystick.daemon.outbox.Acceptance;
import dev.tallystick.daemon.outbox.RequestRefused;
import dev.tallystick.daemon.storage.StorageException;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A daemon inside an application, without a socket. */
class EmbeddedDaemonTest {

    @RegisterExtension
    static final TestPostgres POSTGRES = TestPostgres.perClass();

    @TempDir
    Path folder;

    private Path directory() {
        return folder.resolve("d");
    }

    private static IdempotencyKey key(String text) {
        return new IdempotencyKey(text);
    }

    @Test
    void the_guide_embeds_a_daemon() {
        Path directory = directory();
        URI server = DaemonUnderTest.NOWHERE;
        String token = "none";
        try (Daemon daemon =
                Daemon.start(DaemonSettings.of(directory, server, () -> token).withoutSocket())) {
            daemon.send(NewMessage.toTopic("alerts", Json.of("disk is full")), new IdempotencyKey("disk:2030-01-31"));
        }
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            assertThat(daemon.outbox().findByKey(key("disk:2030-01-31"))).isPresent();
        }
    }

    @Test
    void what_an_application_hands_over_has_the_guarantees_of_the_socket() {
        NewMessage hello = NewMessage.toTopic("embedded", Json.of("hello"));
        NewJob job = NewJob.of("sample.order", Json.parse("{\"order\":\"7\"}"))
                .withVersion(1)
                .notBefore(Instant.EPOCH)
                .withAttribute("customer", "ann");
        Daemon offline = Daemon.start(DaemonUnderTest.settings(directory(), DaemonUnderTest.NOWHERE, "none")
                .withoutSocket());
        try (offline) {
            assertThat(directory().resolve(LocalServer.SOCKET)).doesNotExist();
            assertThat(offline.send(hello, key("m"))).isInstanceOf(Acceptance.Queued.class);
            assertThat(offline.send(hello, key("m"))).isInstanceOf(Acceptance.Queued.class);
            assertThat(offline.submit(job, key("j"))).isInstanceOf(Acceptance.Queued.class);
            assertThat(offline.send(hello, null).key().value())
                    .as("a key of its own")
                    .hasSize(26);
            assertThat(offline.send(NewMessage.toTopic("embedded", Json.of("other")), key("m")))
                    .isInstanceOfSatisfying(
                            Acceptance.Conflict.class,
                            conflict -> assertThat(conflict.word()).isEqualTo("outbox_pending_fingerprint_mismatch"));
            assertThatThrownBy(() -> offline.send(
                            NewMessage.toTopic("embedded", Json.of("x".repeat(2 * 1024 * 1024))), key("large")))
                    .isInstanceOf(RequestRefused.class);
            assertThat(offline.outbox().list(null, 0, 10)).hasSize(3);
        }
        assertThatThrownBy(() -> offline.send(hello, key("late")))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.kind()).isEqualTo(StorageException.Kind.CLOSED));

        try (RealServer server = RealServer.on(POSTGRES, folder.resolve("server"))) {
            server.admin().topics().create("embedded");
            String token = server.member("application");
            try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory(), server.address(), token)
                    .withoutSocket())) {
                Acceptance.Duplicate started = (Acceptance.Duplicate) Eventually.value(
                        "the job is delivered",
                        () -> daemon.submit(job, key("j")),
                        Acceptance.Duplicate.class::isInstance);
                Eventually.value(
                        "the message is delivered",
                        () -> daemon.send(hello, key("m")),
                        Acceptance.Duplicate.class::isInstance);
                assertThat(daemon.delivered()).isPositive();
                TallyClient client = new TallyClient(server.address(), token);
                assertThat(client.jobs().findByKey(key("j")).jobId())
                        .isEqualTo(UUID.fromString(started.brokerMessageId()));
                assertThat(client.jobs().findByKey(key("j")).attributes()).containsEntry("customer", "ann");
                assertThat(daemon.status().health().isHealthy()).isTrue();
            }
            List<String> keys = server.history("embedded");
            assertThat(keys).hasSize(2).startsWith("m");
        }
    }
}
