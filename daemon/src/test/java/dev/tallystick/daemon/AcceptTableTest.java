package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.OutboxState;
import dev.tallystick.daemon.outbox.Requeue;
import dev.tallystick.daemon.outbox.Settlement;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The answer to a send, for every state of an earlier one with the same key, over the socket. */
class AcceptTableTest {

    private static final String KEY = "order:1";
    private static final Json.ObjectValue SAME = message("topic:alerts", "hello");
    private static final Json.ObjectValue OTHER = message("topic:alerts", "something else");

    /** The golden fingerprint of a text {@code hello} to {@code topic:alerts}. */
    private static final String FINGERPRINT = "b2feb3bbc4a14c84a8a86c31c7a1a87362faebfd585edc7d31894485ed9657a0";

    @TempDir
    Path folder;

    /** What a send with the same key gets: the same content, and another one. */
    record Expected(int status, String word) {}

    static Stream<Arguments> table() {
        return Stream.of(
                Arguments.of(OutboxState.PENDING, new Expected(202, "queued"), "outbox_pending_fingerprint_mismatch"),
                Arguments.of(
                        OutboxState.INFLIGHT, new Expected(202, "inflight"), "outbox_inflight_fingerprint_mismatch"),
                Arguments.of(OutboxState.DONE, new Expected(200, "ok"), "outbox_done_fingerprint_mismatch"),
                Arguments.of(
                        OutboxState.DEAD,
                        new Expected(409, "outbox_dead_fingerprint_match"),
                        "outbox_dead_fingerprint_mismatch"),
                Arguments.of(
                        OutboxState.ABORTED,
                        new Expected(409, "outbox_aborted_fingerprint_match"),
                        "outbox_aborted_fingerprint_mismatch"));
    }

    @Test
    void a_new_key_is_kept() {
        Path directory = folder.resolve("d");
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            LocalClient.Reply reply = send(directory, SAME);

            assertThat(reply.status()).isEqualTo(202);
            assertThat(text(reply, "client_message_id")).isEqualTo(KEY);
            assertThat(text(reply, "status")).isEqualTo("queued");
            OutboxRow row = row(daemon);
            assertThat(row.state()).isEqualTo(OutboxState.PENDING);
            assertThat(row.fingerprint()).isEqualTo(new Fingerprint(FINGERPRINT));
        }
    }

    @ParameterizedTest
    @MethodSource("table")
    void a_used_key_gets_the_answer_of_its_state(OutboxState state, Expected same, String mismatch)
            throws InterruptedException {
        Path directory = folder.resolve("d");
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            bring(daemon.outbox(), directory, state);
            OutboxRow before = row(daemon);

            assertAnswers(directory, same, mismatch, state);

            assertThat(row(daemon)).as("nothing was changed").isEqualTo(before);
        }
    }

    @ParameterizedTest
    @MethodSource("table")
    void a_restart_changes_no_answer_but_that_of_a_row_in_flight(OutboxState state, Expected same, String mismatch)
            throws InterruptedException {
        Path directory = folder.resolve("d");
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            bring(daemon.outbox(), directory, state);
        }
        try (Daemon daemon = DaemonUnderTest.offline(directory)) {
            if (state == OutboxState.INFLIGHT) {
                assertAnswers(
                        directory,
                        new Expected(202, "queued"),
                        "outbox_pending_fingerprint_mismatch",
                        OutboxState.PENDING);
                assertThat(row(daemon).firstAttemptAt())
                        .as("it may have been sent")
                        .isNotNull();
            } else {
                assertAnswers(directory, same, mismatch, state);
            }
        }
    }

    @Test
    void of_two_callers_at_once_one_decides_what_the_key_stands_for() throws Exception {
        Path directory = folder.resolve("d");
        try (Daemon daemon = DaemonUnderTest.offline(directory);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 20; round++) {
                String key = "race:" + round;
                List<Integer> different = statuses(threads.invokeAll(List.<Callable<Integer>>of(
                        () -> DaemonUnderTest.send(directory, key, SAME).status(),
                        () -> DaemonUnderTest.send(directory, key, OTHER).status())));
                List<Integer> equal = statuses(threads.invokeAll(List.<Callable<Integer>>of(
                        () -> DaemonUnderTest.send(directory, key + ":equal", SAME)
                                .status(),
                        () -> DaemonUnderTest.send(directory, key + ":equal", SAME)
                                .status())));

                assertThat(different).containsExactlyInAnyOrder(202, 409);
                assertThat(equal).containsExactly(202, 202);
            }
            assertThat(daemon.outbox().list(null, 0, 1000)).hasSize(40);
        }
    }

    private static List<Integer> statuses(List<Future<Integer>> answers) {
        return answers.stream().map(Future::resultNow).toList();
    }

    private static LocalClient.Reply send(Path directory, Json.ObjectValue body) {
        return DaemonUnderTest.send(directory, KEY, body);
    }

    private static OutboxRow row(Daemon daemon) {
        return daemon.outbox().findByKey(new IdempotencyKey(KEY)).orElseThrow();
    }

    /** To two callers at once. */
    private static void assertAnswers(Path directory, Expected same, String mismatch, OutboxState state)
            throws InterruptedException {
        List<Future<LocalClient.Reply>> replies;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            replies = threads.invokeAll(
                    List.<Callable<LocalClient.Reply>>of(() -> send(directory, SAME), () -> send(directory, OTHER)));
        }
        LocalClient.Reply equal = replies.getFirst().resultNow();
        LocalClient.Reply other = replies.getLast().resultNow();

        assertThat(equal.status()).isEqualTo(same.status());
        assertThat(text(equal, same.status() == 409 ? "conflict" : "status")).isEqualTo(same.word());
        assertThat(text(equal, "client_message_id")).isEqualTo(KEY);
        if (same.status() == 409) {
            assertThat(text(equal, "code")).isEqualTo("idempotency_key_reused");
            assertThat(text(equal, "request_fingerprint")).isEqualTo(FINGERPRINT.substring(0, 16));
        }
        if (state == OutboxState.DONE) {
            assertThat(equal.json().members().get("duplicate")).isEqualTo(Json.of(true));
            assertThat(text(equal, "broker_message_id")).isEqualTo("message-1");
            assertThat(text(equal, "history_id")).isEqualTo("history-1");
        }
        assertThat(text(equal, "reason")).isEqualTo(state == OutboxState.DEAD ? "unknown_topic: no such topic" : "");

        assertThat(other.status()).isEqualTo(409);
        assertThat(text(other, "code")).isEqualTo("idempotency_key_reused");
        assertThat(text(other, "conflict")).isEqualTo(mismatch);
        assertThat(text(other, "request_fingerprint"))
                .matches("[0-9a-f]{16}")
                .isNotEqualTo(FINGERPRINT.substring(0, 16));
        assertThat(text(other, "bound_fingerprint")).isEqualTo(FINGERPRINT.substring(0, 16));
        assertThat(text(other, "broker_message_id")).isEqualTo(state == OutboxState.DONE ? "message-1" : "");
        assertThat(text(other, "reason")).isEmpty();
    }

    /** Sends it, and takes it to the state by the steps that delivery and operators take. */
    private static void bring(Outbox outbox, Path directory, OutboxState state) {
        assertThat(send(directory, SAME).status()).isEqualTo(202);
        if (state == OutboxState.PENDING) {
            return;
        }
        if (state == OutboxState.ABORTED) {
            OutboxRow row = outbox.findByKey(new IdempotencyKey(KEY)).orElseThrow();
            assertThat(outbox.requeue(new Requeue.Wish(row.id(), new IdempotencyKey("order:2"), null, false)))
                    .isInstanceOf(Requeue.Requeued.class);
            return;
        }
        OutboxRow row = outbox.take("topic:alerts", false, 10, 1_000_000).getFirst();
        if (state == OutboxState.DONE) {
            outbox.settle(List.of(new Settlement.Delivered(row, 1, "message-1", "history-1")));
        } else if (state == OutboxState.DEAD) {
            outbox.settle(List.of(new Settlement.Dead(row, 1, "unknown_topic: no such topic")));
        }
    }
}
