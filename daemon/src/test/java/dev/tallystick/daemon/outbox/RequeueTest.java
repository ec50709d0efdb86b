package dev.tallystick.daemon.outbox;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.Daemon;
import dev.tallystick.daemon.DaemonUnderTest;
import dev.tallystick.daemon.local.LocalClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator gives the content of a row a new key; no key is ever free again. */
class RequeueTest {

    @TempDir
    Path folder;

    private Path directory;
    private Daemon daemon;

    @BeforeEach
    void start() {
        directory = folder.resolve("d");
        daemon = DaemonUnderTest.offline(directory);
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    @Test
    void a_requeued_row_keeps_its_content_gets_a_new_key_and_goes_last() {
        OutboxRow first = send("first");
        OutboxRow second = send("second");

        LocalClient.Reply reply = requeue(first, Map.of("new_client_message_id", Json.of("fresh")));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(text(reply, "client_message_id")).isEqualTo("fresh");
        assertThat(text(reply, "supersedes")).isEqualTo(first.id());
        OutboxRow old = row("first");
        OutboxRow fresh = row("fresh");
        assertThat(old.state()).isEqualTo(OutboxState.ABORTED);
        assertThat(old.abortedBy()).isEqualTo("operator");
        assertThat(old.abortedAt()).isNotNull();
        assertThat(old.supersededBy()).isEqualTo(fresh.id());
        assertThat(fresh.fingerprint()).isEqualTo(first.fingerprint());
        assertThat(fresh.content()).isEqualTo(first.content());
        assertThat(fresh.position()).isGreaterThan(second.position());
    }

    @Test
    void the_chain_of_several_requeues_is_shown_from_each_of_them() {
        OutboxRow first = send("k1");
        requeue(first, Map.of("new_client_message_id", Json.of("k2")));
        requeue(row("k2"), Map.of("new_client_message_id", Json.of("k3")));

        for (String key : List.of("k1", "k2", "k3")) {
            Json.ObjectValue row = DaemonUnderTest.get(directory, "/v1/outbox/" + row(key).id())
                    .json();
            assertThat(row.members().get("chain"))
                    .isInstanceOfSatisfying(
                            Json.ArrayValue.class,
                            chain -> assertThat(chain.elements())
                                    .extracting(each ->
                                            ((Json.ObjectValue) each).members().get("client_message_id"))
                                    .containsExactly(Json.of("k1"), Json.of("k2"), Json.of("k3")));
        }
    }

    @Test
    void a_new_key_that_is_used_changes_nothing() {
        OutboxRow first = send("first");
        send("second");

        LocalClient.Reply reply = requeue(first, Map.of("new_client_message_id", Json.of("second")));

        assertThat(reply.status()).isEqualTo(409);
        assertThat(text(reply, "code")).isEqualTo("idempotency_key_reused");
        assertThat(text(reply, "request_fingerprint"))
                .isEqualTo(first.fingerprint().prefix());
        assertThat(row("first")).isEqualTo(first);
        assertThat(requeue(first, Map.of("new_client_message_id", Json.of("first")))
                        .status())
                .isEqualTo(409);
        assertThat(row("first")).isEqualTo(first);
        assertThat(daemon.outbox().list(null, 0, 10)).hasSize(2);
    }

    @Test
    void rows_in_flight_done_or_aborted_are_not_requeued() {
        send("k");
        OutboxRow taken = daemon.outbox().take("topic:a", false, 1, 1_000).getFirst();
        assertThat(text(requeue(taken, Map.of("force", Json.of(true))), "code")).isEqualTo("requeue_refused");
        daemon.outbox().settle(List.of(new Settlement.Delivered(taken, 1, "m", "h")));
        assertThat(text(requeue(taken, Map.of("force", Json.of(true))), "code")).isEqualTo("requeue_refused");
        OutboxRow other = send("other");
        assertThat(requeue(other, Map.of()).status()).isEqualTo(200);
        assertThat(text(requeue(other, Map.of("force", Json.of(true))), "code")).isEqualTo("requeue_refused");
    }

    @Test
    void a_pending_row_that_was_attempted_needs_force() {
        send("k");
        daemon.outbox().take("topic:a", false, 1, 1_000);
        daemon.close();
        daemon = DaemonUnderTest.offline(directory);

        LocalClient.Reply refused = requeue(row("k"), Map.of());

        assertThat(refused.status()).isEqualTo(409);
        assertThat(text(refused, "detail")).contains("force");
        assertThat(requeue(row("k"), Map.of("force", Json.of(true))).status()).isEqualTo(200);
    }

    @Test
    void a_dead_row_is_requeued_with_a_patched_payload_under_a_new_fingerprint() {
        send("k");
        OutboxRow taken = daemon.outbox().take("topic:a", false, 1, 1_000).getFirst();
        daemon.outbox().settle(List.of(new Settlement.Dead(taken, 1, "payload_too_large: too large")));

        LocalClient.Reply reply = requeue(taken, Map.of("message", Json.of("shorter")));

        assertThat(reply.status()).isEqualTo(200);
        OutboxRow fresh = row(text(reply, "client_message_id"));
        assertThat(fresh.fingerprint()).isNotEqualTo(taken.fingerprint());
        assertThat(String.valueOf(fresh.content())).contains("shorter");
        assertThat(DaemonUnderTest.send(directory, "k", message("topic:a", "k")).status())
                .as("the old key stays used")
                .isEqualTo(409);
    }

    private OutboxRow send(String key) {
        assertThat(DaemonUnderTest.send(directory, key, message("topic:a", key)).status())
                .isEqualTo(202);
        return row(key);
    }

    private OutboxRow row(String key) {
        return daemon.outbox().findByKey(new IdempotencyKey(key)).orElseThrow();
    }

    private LocalClient.Reply requeue(OutboxRow row, Map<String, Json> wish) {
        return DaemonUnderTest.post(directory, "/v1/outbox/" + row.id() + "/requeue", new Json.ObjectValue(wish));
    }
}
