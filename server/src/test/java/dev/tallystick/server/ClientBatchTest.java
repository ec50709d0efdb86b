package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.Messages;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyException;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the Java SDK makes of the outcomes of a batch. */
@Timeout(60)
class ClientBatchTest {

    private static final Duration BRIEFLY = Duration.ofSeconds(2);
    private static final UUID ID = UUID.fromString("00000000-0000-7000-8000-000000000000");

    private static List<Messages.Outcome> send(ScriptedServer server, Duration patience, String... keys) {
        return new TallyClient(server.address(), "t", patience)
                .messages()
                .sendAll(Arrays.stream(keys).map(ClientBatchTest::keyed).toList());
    }

    private static Messages.Keyed keyed(String key) {
        return new Messages.Keyed(Messages.NewMessage.toTopic("alerts", Json.of("x")), new IdempotencyKey(key));
    }

    private static ScriptedServer.Turn outcomes(String... outcomes) {
        return ScriptedServer.answer(200, "{\"outcomes\":[" + String.join(",", outcomes) + "]}");
    }

    private static String accepted(String key) {
        return "{\"message_id\":\"" + ID + "\",\"client_message_id\":\"" + key + "\",\"history_id\":\"" + ID
                + "\",\"history_available\":true,\"duplicate\":false}";
    }

    private static String problem(int status, String code, String more) {
        return "{\"type\":\"urn:tallystick:problem:" + code + "\",\"title\":\"t\",\"status\":" + status + ",\"code\":\""
                + code + "\",\"detail\":\"d\"" + more + "}";
    }

    private static TallyException why(Messages.Outcome outcome) {
        return ((Messages.Outcome.NotAccepted) outcome).why();
    }

    @Test
    void each_message_has_its_own_outcome() throws Exception {
        try (ScriptedServer server = new ScriptedServer(outcomes(
                accepted("a"),
                problem(404, "unknown_topic", ""),
                problem(503, "busy", ",\"retry_after\":7"),
                problem(503, "outcome_unknown", ""),
                problem(409, "request_in_progress", ""),
                problem(418, "of_a_newer_server", "")))) {
            List<Messages.Outcome> outcomes = send(server, BRIEFLY, "a", "b", "c", "d", "e", "ü");

            assertThat(outcomes.getFirst())
                    .isEqualTo(new Messages.Outcome.Accepted(new Messages.Sent(ID, ID, true, false)));
            assertThat(why(outcomes.get(1))).isInstanceOfSatisfying(RefusedException.class, refused -> {
                assertThat(refused.code()).isEqualTo("unknown_topic");
                assertThat(refused.holdsForEveryAttempt()).isFalse();
            });
            assertThat(why(outcomes.get(2)))
                    .isInstanceOfSatisfying(
                            UnavailableException.class,
                            busy -> assertThat(busy.failure().retryAfter()).isEqualTo(Duration.ofSeconds(7)));
            assertThat(outcomes.subList(3, 6))
                    .extracting(ClientBatchTest::why)
                    .hasOnlyElementsOfType(OutcomeUnknownException.class);
            assertThat(why(outcomes.get(5)))
                    .hasMessageContaining("of_a_newer_server")
                    .hasMessageContaining("ü");
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void after_a_lost_answer_a_refusal_counts_only_if_it_holds_for_every_attempt() throws Exception {
        try (ScriptedServer server = new ScriptedServer(
                ScriptedServer.hangUp(),
                outcomes(
                        accepted("a"),
                        problem(404, "unknown_topic", ""),
                        problem(413, "payload_too_large", ""),
                        problem(409, "idempotency_key_reused", ""),
                        problem(429, "over_limit", "")))) {
            List<Messages.Outcome> outcomes = send(server, Duration.ofSeconds(30), "a", "b", "c", "d", "e");

            assertThat(outcomes.getFirst()).isInstanceOf(Messages.Outcome.Accepted.class);
            assertThat(outcomes.subList(1, 5))
                    .extracting(outcome -> why(outcome).getClass().getSimpleName())
                    .containsExactly(
                            "OutcomeUnknownException",
                            "RefusedException",
                            "RefusedException",
                            "OutcomeUnknownException");
        }
    }

    @Test
    void outcomes_that_are_not_those_of_the_messages_say_nothing() throws Exception {
        for (String body : List.of(
                "{\"outcomes\":[" + accepted("a") + "]}",
                "{\"outcomes\":[" + accepted("b") + "," + accepted("a") + "]}",
                "{\"outcomes\":[" + accepted("a") + ",{}]}",
                "{\"outcomes\":[" + accepted("a") + "," + problem(400, "unknown_topic", "") + "]}",
                "{}")) {
            try (ScriptedServer server = new ScriptedServer(ScriptedServer.answer(200, body))) {
                assertThatThrownBy(() -> send(server, BRIEFLY, "a", "b"))
                        .as(body)
                        .isInstanceOf(OutcomeUnknownException.class);
            }
        }
    }

    @Test
    void a_batch_that_no_server_would_take_is_not_sent() throws Exception {
        try (ScriptedServer server = new ScriptedServer(outcomes())) {
            assertThatIllegalArgumentException().isThrownBy(() -> send(server, BRIEFLY, "a", "a"));
            TallyClient client = new TallyClient(server.address(), "t", BRIEFLY);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.messages().sendAll(Collections.nCopies(501, keyed("a"))));
            assertThat(send(server, BRIEFLY)).isEmpty();
            assertThat(server.requests()).isEmpty();
        }
    }
}
