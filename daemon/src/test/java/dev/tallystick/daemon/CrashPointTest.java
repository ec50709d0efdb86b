package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.Messages;
import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.delivery.DeliveryCrashPoint;
import dev.tallystick.daemon.inbox.InboxCrashPoint;
import dev.tallystick.daemon.inbox.InboxEvent;
import dev.tallystick.daemon.outbox.OutboxCrashPoint;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.HaltAt;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Kills the daemon at each named point in turn, starts it again, and demands that its rules still hold. */
class CrashPointTest {

    @RegisterExtension
    static final RealServer server = RealServer.perClass();

    @TempDir
    Path folder;

    static Stream<CrashPoint> pointsOfASend() {
        return Stream.of(
                OutboxCrashPoint.BEFORE_INSERT,
                OutboxCrashPoint.INSERTED_NOT_COMMITTED,
                OutboxCrashPoint.INSERT_COMMITTED,
                DeliveryCrashPoint.BEFORE_SEND,
                DeliveryCrashPoint.ANSWERED,
                OutboxCrashPoint.BEFORE_SETTLING,
                OutboxCrashPoint.SETTLED_NOT_COMMITTED,
                OutboxCrashPoint.SETTLEMENT_COMMITTED);
    }

    @ParameterizedTest
    @MethodSource("pointsOfASend")
    void a_send_that_is_repeated_after_a_crash_arrives_once(CrashPoint point) {
        String topic = "t-" + point.name().toLowerCase(Locale.ROOT).replace('_', '-');
        server.admin().topics().create(topic);
        Path directory = folder.resolve("d");
        String token = server.member(topic);

        boolean isAcknowledged;
        try (ChildJvm child = start(directory, token, point)) {
            isAcknowledged = sendOnce(directory, topic);
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
        }
        try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory, server.address(), token))) {
            assertThat(daemon.outbox().list(null, 0, 10)).hasSizeBetween(isAcknowledged ? 1 : 0, 1);
            assertThat(sendOnce(directory, topic)).isTrue();
            Eventually.holds(
                    "it is delivered",
                    () -> DaemonUnderTest.send(directory, "k", message("topic:" + topic, "x"))
                                    .status()
                            == 200);
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(1);
        }
        assertThat(server.history(topic)).containsExactly("k");
    }

    @ParameterizedTest
    @EnumSource(
            value = OutboxCrashPoint.class,
            names = {"BEFORE_REQUEUE", "REQUEUED_NOT_COMMITTED", "REQUEUE_COMMITTED"})
    void a_requeue_happens_completely_or_not_at_all(OutboxCrashPoint point) {
        Path directory = folder.resolve("d");
        String row;
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            assertThat(sendOnce(directory, "a")).isTrue();
            row = daemon.outbox().list(null, 0, 1).getFirst().id();
        }
        try (ChildJvm child = ChildJvm.of(DaemonChild.class)
                .haltingAt(point)
                .start(directory.toString(), DaemonUnderTest.NOWHERE.toString(), "none", "false")) {
            child.awaitLine(DaemonChild.READY::equals);
            try {
                DaemonUnderTest.post(directory, "/v1/outbox/" + row + "/requeue", requeue());
            } catch (UncheckedIOException died) {
                // It dies before it answers.
            }
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
        }
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            boolean isDone = point == OutboxCrashPoint.REQUEUE_COMMITTED;
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(isDone ? 2 : 1);
            var again = DaemonUnderTest.post(directory, "/v1/outbox/" + row + "/requeue", requeue());
            assertThat(again.status()).isEqualTo(isDone ? 409 : 200);
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(2);
            assertThat(daemon.outbox().find(row).orElseThrow().supersededBy())
                    .isEqualTo(daemon.outbox()
                            .findByKey(new IdempotencyKey("fresh"))
                            .orElseThrow()
                            .id());
        }
    }

    @ParameterizedTest
    @EnumSource(InboxCrashPoint.class)
    void a_message_is_received_once_and_none_is_lost(InboxCrashPoint point) {
        Path directory = folder.resolve("d");
        String name = point.name();
        String token = server.member(name);
        server.admin()
                .messages()
                .send(Messages.NewMessage.toMember(name, Json.of("hello")), new IdempotencyKey("to:" + name));
        // The first events are about delivery itself.
        try (ChildJvm child = ChildJvm.of(DaemonChild.class)
                .haltingAt(point, point == InboxCrashPoint.ACKNOWLEDGED ? 1 : 2)
                .start(directory.toString(), server.address().toString(), token, "true")) {
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
        }
        try (Daemon daemon = Daemon.start(
                DaemonUnderTest.settings(directory, server.address(), token).receiving(true))) {
            Eventually.holds("it arrives", () -> !messages(daemon).isEmpty());
            Eventually.holds("it is acknowledged", () -> server.isAcknowledged("to:" + name));
            assertThat(messages(daemon)).hasSize(1);
        }
    }

    @Test
    void every_crash_point_is_in_one_of_these_tests() {
        Stream<CrashPoint> requeue = Stream.of(
                OutboxCrashPoint.BEFORE_REQUEUE,
                OutboxCrashPoint.REQUEUED_NOT_COMMITTED,
                OutboxCrashPoint.REQUEUE_COMMITTED);
        List<CrashPoint> covered = Stream.of(pointsOfASend(), requeue, Stream.of(InboxCrashPoint.values()))
                .flatMap(points -> points)
                .map(CrashPoint.class::cast)
                .toList();
        assertThat(covered)
                .contains(OutboxCrashPoint.values())
                .contains(DeliveryCrashPoint.values())
                .contains(InboxCrashPoint.values());
    }

    private static List<?> messages(Daemon daemon) {
        return daemon.inbox().after(0, InboxEvent.Kind.MESSAGE, 10);
    }

    private static Json.ObjectValue requeue() {
        return new Json.ObjectValue(Map.of("new_client_message_id", Json.of("fresh")));
    }

    private static ChildJvm start(Path directory, String token, CrashPoint point) {
        ChildJvm child = ChildJvm.of(DaemonChild.class)
                .haltingAt(point)
                .start(directory.toString(), server.address().toString(), token, "false");
        child.awaitLine(DaemonChild.READY::equals);
        return child;
    }

    /** Whether it was acknowledged. A caller may see the daemon die, and then does not know. */
    private static boolean sendOnce(Path directory, String topic) {
        try {
            return DaemonUnderTest.send(directory, "k", message("topic:" + topic, "x"))
                            .status()
                    < 300;
        } catch (UncheckedIOException died) {
            return false;
        }
    }
}
