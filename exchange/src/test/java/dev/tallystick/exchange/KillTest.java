package dev.tallystick.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.sql.Database;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Kills real processes of both sides in mid-run: nothing is lost, nothing happens twice, and the books are equal. */
@ExtendWith(Seeded.class)
class KillTest {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    @RegisterExtension
    static final TestPostgres acmes = Party.postgres();

    @RegisterExtension
    static final TestPostgres globexs = Party.postgres();

    private final Database acme = Database.on(acmes.dataSource());
    private final Database globex = Database.on(globexs.dataSource());

    @Test
    void two_thousand_postings_survive_a_kill_of_each_side() {
        int number = 2_000;
        try (ChildJvm producer = producer("1", number);
                ChildJvm consumer = consumer("1")) {
            consumer.awaitLine("ready"::equals);
            awaitSettled(200);
            consumer.kill();
            try (ChildJvm nextConsumer = consumer("2")) {
                awaitSettled(400);
                producer.kill();
                try (ChildJvm nextProducer = producer("2", number)) {
                    assertThat(nextProducer.awaitLine("ready"::equals, LIMIT)).isEqualTo("ready");
                    awaitSettled(number);
                    awaitNothingOpen();
                    assertThat(nextConsumer.isAlive()).isTrue();
                }
            }
        }
        assertBooks(number);
    }

    @Test
    @Tag("campaign")
    void ten_thousand_postings_survive_kills_of_any_of_three_instances_a_side_at_every_point(Randomness random) {
        int number = 10_000;
        String[] instances = {"1", "2", "3"};
        for (ExchangeCrashPoint point : ExchangeCrashPoint.values()) {
            try (ChildJvm one = start("producer", acmes.url(), "1", number, point, random.between(1, 5));
                    ChildJvm two = producer(instances[1], number);
                    ChildJvm three = producer(instances[2], number);
                    ChildJvm four = start("consumer", globexs.url(), "1", 0, point, random.between(1, 5));
                    ChildJvm five = consumer(instances[1]);
                    ChildJvm six = consumer(instances[2])) {
                awaitSettled(number);
                awaitNothingOpen();
                assertThat(two.isAlive() && three.isAlive() && five.isAlive() && six.isAlive())
                        .isTrue();
                assertThat(one.pid()).isNotEqualTo(four.pid());
            }
            assertBooks(number);
            acme.transact("again", tx -> tx.update("truncate tally.exchange_posting, tally.exchange_issue"));
            globex.transact("again", tx -> tx.update("truncate tally.exchange_received, tally.exchange_issue, effect"));
        }
    }

    private void assertBooks(int number) {
        List<String> effects =
                globex.transact("read", tx -> tx.query("select id from effect", row -> row.getString("id")));
        assertThat(effects).hasSize(number).doesNotHaveDuplicates();
        assertThat(TransportContract.difference(acme, globex).differences()).isEmpty();
        assertThat(count(acme, "select count(*) as n from tally.exchange_issue"))
                .isZero();
        assertThat(count(globex, "select count(*) as n from tally.exchange_issue"))
                .isZero();
    }

    private void awaitSettled(int number) {
        Eventually.value(
                number + " postings to be settled",
                LIMIT,
                () -> count(acme, "select count(*) as n from tally.exchange_posting where ack = 'ACKED_RESULT'"),
                settled -> settled >= number);
    }

    private void awaitNothingOpen() {
        Eventually.value(
                "every result to be acknowledged",
                LIMIT,
                () -> count(globex, "select count(*) as n from tally.exchange_received where ack <> 'ACKED_RESULT'"),
                open -> open == 0);
    }

    private static long count(Database database, String sql) {
        return database.transact(
                "count", tx -> tx.query(sql, row -> row.getLong("n")).getFirst());
    }

    private static ChildJvm producer(String instance, int number) {
        return plan().start(
                        "producer",
                        acmes.url(),
                        acmes.url(),
                        Party.ACME_KEY.toPem(),
                        instance,
                        Integer.toString(number));
    }

    private static ChildJvm consumer(String instance) {
        return plan().start("consumer", globexs.url(), acmes.url(), Party.GLOBEX_KEY.toPem(), instance);
    }

    private static ChildJvm start(
            String side, String url, String instance, int number, ExchangeCrashPoint point, int arrival) {
        String key = side.equals("producer") ? Party.ACME_KEY.toPem() : Party.GLOBEX_KEY.toPem();
        return plan().haltingAt(point, arrival).start(side, url, acmes.url(), key, instance, Integer.toString(number));
    }

    private static ChildJvm.Plan plan() {
        return ChildJvm.of(ExchangeChild.class);
    }
}
