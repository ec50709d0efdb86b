package dev.tallystick.broker;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.INVOICES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Envelope;
import dev.tallystick.keys.KeyNeeds;
import dev.tallystick.keys.KeySweeper;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.time.Clock;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OrphanCheckTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final Database database = Database.on(postgres.dataSource());
    private final Broker broker = TestBroker.on(postgres.dataSource());

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void accepted_messages_have_no_orphans() {
        sendSome();

        assertThat(broker.orphans().last()).isEmpty();
        assertThat(broker.orphans().run()).isEqualTo(new OrphanReport(List.of()));
        assertThat(broker.orphans().last()).contains(new OrphanReport(List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "message,  KEY_WITHOUT_MESSAGE;HISTORY_WITHOUT_MESSAGE;DELIVERY_WITHOUT_MESSAGE;MENTION_WITHOUT_MESSAGE",
        "history,  KEY_WITHOUT_HISTORY;MESSAGE_WITHOUT_HISTORY",
        "key,      MESSAGE_WITHOUT_KEY",
        "delivery, MESSAGE_WITHOUT_DELIVERY",
        "mention,  MESSAGE_WITHOUT_MENTION"
    })
    void any_deleted_row_is_reported(String table, String kinds) {
        sendSome();

        database.transact("meddle", tx -> tx.update("delete from tally." + table));

        assertThat(broker.orphans().run().findings())
                .extracting(finding -> finding.kind().name())
                .containsExactlyInAnyOrder(kinds.split(";"));
        assertThat(broker.orphans().run().total()).isPositive();
    }

    @Test
    void an_untaken_message_whose_key_expires_is_not_an_orphan() {
        sendSome();
        int days = TestBroker.SETTINGS.keyRetention().days() + 1;
        database.transact("let time pass", tx -> {
            tx.update("update tally.message set accepted_at = accepted_at - ? * interval '1 day'", days);
            return tx.update("update tally.key set expires_at = expires_at - ? * interval '1 day'", days);
        });

        assertThat(new KeySweeper(database, KeyNeeds.NONE, CrashPoints.NONE).sweep(1))
                .isEqualTo(3);

        assertThat(broker.orphans().run().findings()).isEmpty();
    }

    @Test
    void a_broker_looks_soon_after_its_start() {
        sendSome();
        RandomGenerator lowest = () -> 0;
        try (Broker started = new Broker(
                database,
                TestBroker.SETTINGS,
                new JobHook("order"),
                Limiter.NONE,
                Clock.systemUTC(),
                lowest,
                CrashPoints.NONE)) {
            started.start();

            Eventually.holds("it looks", () -> started.orphans().last().isPresent());
        }
    }

    private void sendSome() {
        broker.accept(ALICE, TestBroker.text("a", INVOICES, "x"));
        broker.accept(ALICE, TestBroker.job("b", "x"));
        Envelope mentioning = Envelope.of(ALERTS, new Envelope.Body.Text("x")).withMentions(List.of("bob", "alice"));
        broker.accept(ALICE, Submission.of(TestBroker.key("c"), mentioning));
    }
}
