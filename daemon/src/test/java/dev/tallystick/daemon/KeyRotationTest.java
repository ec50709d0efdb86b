package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.DeviceApi.DeviceView;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.HaltAt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon replaces the key of its device, and never ends up with one that the server does not know. */
class KeyRotationTest {

    @RegisterExtension
    static final RealServer server = RealServer.perClass();

    @TempDir
    Path folder;

    private Path directory() {
        return folder.resolve("d");
    }

    @Test
    void the_new_key_counts_there_and_here_and_the_old_one_for_a_while() throws IOException {
        String token = server.member("rotating");
        try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory(), server.address(), token))) {
            Eventually.holds("it delivers", () -> daemon.delivery().isDelivering());
            String before = key(DaemonUnderTest.get(directory(), "/v1/health"));

            LocalClient.Reply reply = rotate(3_600);

            assertThat(reply.status()).isEqualTo(202);
            String next = text(reply, "next_public_key");
            assertThat(next).isNotEmpty().isNotEqualTo(before);
            awaitKey(next);
            DeviceView device = device(token);
            assertThat(device.publicKey()).isEqualTo(next);
            assertThat(device.previousKey()).isEqualTo(before);
            assertThat(Duration.between(device.rotatedAt(), device.previousUntil()))
                    .isEqualTo(Duration.ofHours(1));
            assertThat(file()).contains(next).doesNotContain(before).doesNotContain("next_");
        }
    }

    @Test
    void a_rotation_that_was_asked_for_offline_waits_for_the_server() throws IOException {
        String next;
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            String before = key(DaemonUnderTest.get(directory(), "/v1/health"));
            next = text(rotate(60), "next_public_key");
            assertThat(text(rotate(60), "next_public_key")).as("asked again").isEqualTo(next);
            assertThat(key(DaemonUnderTest.get(directory(), "/v1/health"))).isEqualTo(before);
            assertThat(daemon.delivery().isDelivering()).isFalse();
        }
        String token = server.member("later");
        try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory(), server.address(), token))) {
            awaitKey(next);
            assertThat(daemon.delivery().isDelivering()).isTrue();
            assertThat(device(token).publicKey()).isEqualTo(next);
        }
    }

    /** Without grace the server forgets the old key at once, so a daemon that starts again with it alone would be refused. */
    @ParameterizedTest
    @EnumSource(IdentityCrashPoint.class)
    void a_rotation_that_a_crash_interrupts_is_finished(IdentityCrashPoint point) {
        String topic = "crash-" + point.name().toLowerCase(Locale.ROOT).replace('_', '-');
        String token = server.member(topic);
        server.admin().topics().create(topic);
        try (ChildJvm child = ChildJvm.of(DaemonChild.class)
                .haltingAt(point)
                .start(directory().toString(), server.address().toString(), token, "false")) {
            child.awaitLine(DaemonChild.READY::equals);
            try {
                int unused = rotate(0).status();
            } catch (UncheckedIOException died) {
                // It may die before it answers.
            }
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
        }
        try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory(), server.address(), token))) {
            assertThat(DaemonUnderTest.send(directory(), "k", message("topic:" + topic, "x"))
                            .status())
                    .isEqualTo(202);
            OfflineTest.awaitNothingKept(directory());
            assertThat(daemon.delivery().isDelivering()).isTrue();
            Map<String, Json> health =
                    DaemonUnderTest.get(directory(), "/v1/health").json().members();
            assertThat(health).doesNotContainKey("next_public_key");
            assertThat(health.get("public_key")).isEqualTo(Json.of(device(token).publicKey()));
            assertThat(device(token).rotatedAt()).isNotNull();
        }
        assertThat(server.history(topic)).containsExactly("k");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"grace_seconds\":-1}", "{\"grace_seconds\":1.5}", "{\"grace_seconds\":2592001}", "{\"x\":1}"})
    void a_malformed_wish_makes_no_key(String body) throws IOException {
        try (Daemon daemon = DaemonUnderTest.offline(directory());
                LocalClient client = LocalClient.to(directory())) {
            assertThat(client.ask("POST", "/v1/device/rotate", body, Map.of()).status())
                    .isEqualTo(400);
            assertThat(file()).doesNotContain("next_");
            assertThat(daemon.delivery().isDelivering()).isFalse();
        }
    }

    private LocalClient.Reply rotate(int graceSeconds) {
        return DaemonUnderTest.post(
                directory(), "/v1/device/rotate", new Json.ObjectValue(Map.of("grace_seconds", Json.of(graceSeconds))));
    }

    private void awaitKey(String next) {
        Eventually.value(
                "the key is replaced",
                () -> DaemonUnderTest.get(directory(), "/v1/health"),
                health -> key(health).equals(next)
                        && text(health, "next_public_key").isEmpty());
    }

    private static String key(LocalClient.Reply health) {
        return text(health, "public_key");
    }

    private static DeviceView device(String token) {
        List<DeviceView> all =
                new TallyClient(server.address(), token).devices().list();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private String file() throws IOException {
        return Files.readString(directory().resolve(Identity.FILE));
    }
}
