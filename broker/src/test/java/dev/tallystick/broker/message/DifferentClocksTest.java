package dev.tallystick.broker.message;

import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.INVOICES;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.JobHook;
import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Message;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Envelope;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.TestPostgres;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two brokers on one database, whose clocks differ by 5 seconds. */
class DifferentClocksTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final Database database = Database.on(postgres.dataSource());

    @Test
    void positions_and_leases_follow_the_order_of_acceptance() {
        List<String> sent = new ArrayList<>();
        try (Broker ahead = broker(Clock.offset(Clock.systemUTC(), Duration.ofSeconds(5)));
                Broker behind = broker(Clock.systemUTC())) {
            for (int i = 0; i < 10; i++) {
                String word = "k" + (9 - i);
                assertThat((i % 2 == 0 ? ahead : behind).accept(ALICE, text(word, INVOICES, word)))
                        .isInstanceOf(Acceptance.Accepted.class);
                sent.add(word);
            }

            // Not before all are accepted: a sequencer that runs after each of them cannot mistake their order.
            new Sequencer(database, CrashPoints.NONE).run();

            assertThat(behind.history().read(MESH, INVOICES, 0, 100).entries())
                    .extracting(entry -> word(entry.message()))
                    .isEqualTo(sent);
            assertThat(behind.deliveries().lease(ALICE, Inbox.queue("invoices"), 100, Deliveries.DEFAULT_LEASE))
                    .extracting(delivery -> word(delivery.message()))
                    .isEqualTo(sent);
        }
    }

    private Broker broker(Clock clock) {
        return new Broker(
                database,
                TestBroker.SETTINGS,
                new JobHook(),
                Limiter.NONE,
                clock,
                RandomGenerator.getDefault(),
                CrashPoints.NONE);
    }

    private static String word(Message message) {
        return ((Envelope.Body.Text) message.envelope().body()).text();
    }
}
