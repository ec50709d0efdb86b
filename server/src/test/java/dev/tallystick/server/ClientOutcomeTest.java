package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Signal;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

            assertThatThrownBy(() -> client.events(UUID.randomUUID(), 0, 10, Duration.ofSeconds(1)))
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
}
