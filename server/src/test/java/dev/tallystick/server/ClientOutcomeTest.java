package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.client.Worker;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the Java SDK makes of answers that are lost, late or at odds with each other. */
@Timeout(60)
class ClientOutcomeTest {

    private static final Duration BRIEFLY = Duration.ofMillis(1_500);

    private static TallyClient client(ScriptedServer server, Duration patience) {
        return new TallyClient(server.address(), "t", patience);
    }

    private static TallyClient.NewJob order() {
        return TallyClient.NewJob.of("sample.order", Json.ofNull());
    }

    @Test
    void an_answer_that_begins_and_never_goes_on_is_given_up_and_its_connection_closed() throws Exception {
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.beginAndFallSilent(gone))) {
            TallyClient client = client(server, BRIEFLY);

            assertThatThrownBy(() -> client.jobs().events(UUID.randomUUID(), 0, 10, Duration.ofSeconds(1)))
                    .isInstanceOf(UnavailableException.class);
            gone.await();
        }
    }

    @Test
    void a_submission_whose_answer_begins_and_never_goes_on_may_have_happened() throws Exception {
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.beginAndFallSilent(gone))) {
            TallyClient client = client(server, BRIEFLY);

            assertThatThrownBy(() -> client.submit(order(), new IdempotencyKey("silent:1")))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("silent:1");
            gone.await();
        }
    }

    @Test
    void a_server_that_hangs_leaves_time_for_another_attempt() throws Exception {
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server =
                new ScriptedServer(ScriptedServer.beginAndFallSilent(gone), ScriptedServer.features("jobs"))) {
            TallyClient client = client(server, Duration.ofSeconds(6));

            assertThat(client.features().features()).containsExactly("jobs");
            gone.await();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "401, unauthenticated",
        "403, forbidden",
        "404, not_found",
        "404, unknown_workflow",
        "400, malformed_request",
        "409, job_closed"
    })
    void a_refusal_after_a_lost_answer_does_not_say_that_nothing_happened(int status, String code) throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.hangUp(), ScriptedServer.refuse(status, code))) {
            TallyClient client = client(server, TallyClient.PATIENCE);

            assertThatThrownBy(() -> client.submit(order(), new IdempotencyKey("lost:1")))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("lost:1")
                    .hasMessageContaining(code)
                    .hasCauseInstanceOf(RefusedException.class);
            assertThat(server.requests()).hasSize(2);
        }
    }

    @Test
    void what_is_not_found_after_a_lost_answer_may_have_been_deleted_by_it() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(ScriptedServer.hangUp(), ScriptedServer.refuse(404, "not_found"))) {
            TallyClient client = client(server, TallyClient.PATIENCE);

            assertThatThrownBy(() -> client.schedules().delete("nightly"))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("not_found");
        }
    }

    @Test
    void a_triggered_schedule_that_has_changed_since_is_no_proof_either() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(ScriptedServer.hangUp(), ScriptedServer.refuse(409, "idempotency_key_reused"))) {
            TallyClient client = client(server, TallyClient.PATIENCE);

            assertThatThrownBy(() -> client.schedules().trigger("nightly", new IdempotencyKey("lost:2")))
                    .isInstanceOf(OutcomeUnknownException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"409, idempotency_key_reused", "413, payload_too_large"})
    void a_refusal_that_holds_for_every_attempt_is_definite_also_after_a_lost_answer(int status, String code)
            throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.hangUp(), ScriptedServer.refuse(status, code))) {
            TallyClient client = client(server, TallyClient.PATIENCE);

            assertThatThrownBy(() -> client.submit(order(), new IdempotencyKey("lost:3")))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.code()).isEqualTo(code));
        }
    }

    @Test
    void what_only_reads_is_refused_as_ever_after_a_lost_answer() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(ScriptedServer.hangUp(), ScriptedServer.refuse(404, "not_found"))) {
            TallyClient client = client(server, TallyClient.PATIENCE);

            assertThatThrownBy(() -> client.jobs().find(UUID.randomUUID())).isInstanceOf(RefusedException.class);
        }
    }

    @Test
    void a_worker_asks_for_no_more_than_a_server_hands_out() throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.refuse(401, "unauthenticated"))) {
            try (Worker worker =
                    Worker.start(client(server, TallyClient.PATIENCE), "greetings", 150, work -> Json.ofNull())) {
                worker.awaitEnd();

                assertThat(worker.failure()).containsInstanceOf(RefusedException.class);
            }
            assertThat(server.requests()).singleElement().asString().contains("\"max\":100");
        }
    }

    @Test
    void a_worker_whose_claim_is_answered_by_something_in_between_asks_again() throws Exception {
        try (ScriptedServer server =
                        new ScriptedServer(ScriptedServer.answer(200, "{}"), ScriptedServer.refuse(403, "forbidden"));
                Worker worker =
                        Worker.start(client(server, TallyClient.PATIENCE), "greetings", 1, work -> Json.ofNull())) {
            Eventually.holds("the worker asks again", () -> server.requests().size() > 1);
        }
    }

    @Test
    void a_worker_that_was_closed_in_peace_has_not_failed() throws Exception {
        Signal gone = new Signal("the worker hangs up");
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.beginAndFallSilent(gone))) {
            Worker worker = Worker.start(client(server, TallyClient.PATIENCE), "greetings", 1, work -> Json.ofNull());
            Eventually.holds("the worker claims", () -> !server.requests().isEmpty());
            worker.close();
            worker.awaitEnd();
            gone.await();

            assertThat(worker.failure()).isEmpty();
        }
    }
}
