package dev.tallystick.broker;

import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.message.Sequencer;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.KeysCrashPoint;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.CrashCoverage;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Crashes at every point, restarts, and requires that repeating a request finds it done once or does it once. */
class CrashTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private static final Destination QUIET = Destination.parse("topic:quiet");

    private final Database database = Database.on(postgres.dataSource());

    static Stream<CrashPoint> points() {
        return Stream.concat(
                Stream.of(BrokerCrashPoint.values()),
                Stream.of(KeysCrashPoint.ACCEPT_WRITTEN, SqlCrashPoint.BEFORE_COMMIT, SqlCrashPoint.AFTER_COMMIT));
    }

    @ParameterizedTest
    @MethodSource("points")
    void after_a_crash_at_any_point_a_repeat_makes_one_of_everything(CrashPoint point) {
        prepare();
        int deaths = 0;
        for (Destination to : List.of(TestBroker.ALERTS, TestBroker.ORDER)) {
            CrashAt crash = CrashAt.first(point);
            for (int arrival = 1; dies(submission(to, to.kind() + "-" + arrival), crash); arrival++) {
                crash = CrashAt.nth(point, arrival + 1);
                deaths++;
            }
        }
        assertThat(deaths).isPositive();
        try (Broker alive = TestBroker.on(postgres.dataSource())) {
            assertThat(alive.orphans().run().findings()).isEmpty();
        }
    }

    @Test
    void every_declared_point_is_reached() {
        prepare();
        CrashCoverage<BrokerCrashPoint> coverage = CrashCoverage.of(BrokerCrashPoint.class);
        for (Destination to : List.of(TestBroker.ALERTS, TestBroker.ORDER)) {
            live(submission(to, to.kind() + "-alive"), coverage.counting(CrashPoints.NONE));
        }
        coverage.assertComplete();
    }

    /** A webhook for the topic whose address may not be called. */
    private void prepare() {
        try (Broker broker = TestBroker.on(postgres.dataSource())) {
            broker.webhooks().register(ALICE, TestBroker.ALERTS, URI.create("http://localhost/hook"));
            broker.webhooks().register(ALICE, TestBroker.ORDER, URI.create("http://localhost/hook"));
            broker.directory().create(MESH, QUIET);
        }
    }

    /** Whether a crash happened; if not, the point was passed for the last time. */
    private boolean dies(Submission submission, CrashAt crash) {
        live(submission, crash);
        for (int restart = 0; restart < 2; restart++) {
            try (Broker restarted = TestBroker.on(postgres.dataSource())) {
                assertThat(restarted.accept(ALICE, submission))
                        .isInstanceOfAny(Acceptance.Accepted.class, Acceptance.Duplicate.class);
                new CompletionAnnouncer(database, new JobHook().ends(), CrashPoints.NONE).run();
            }
        }
        boolean job = submission.envelope().to().kind() == Destination.Kind.WORKFLOW;
        assertThat(count("select count(*) as n from tally.message where key = ?", submission))
                .isEqualTo(1);
        assertThat(count(
                        "select count(*) as n from tally.test_job j join tally.message m on m.id = j.id where m.key = ?",
                        submission))
                .isEqualTo(job ? 1 : 0);
        assertThat(count("select count(*) as n from tally.message where key is null and ? <> ''", submission))
                .as("announced ends")
                .isEqualTo(count("select count(*) as n from tally.test_job where ? <> ''", submission));
        return crash.hasCrashed();
    }

    /** A run, until the crash, in which one message is accepted, numbered and called for, and an old one is forgotten. */
    private void live(Submission submission, CrashPoints crashPoints) {
        sendAnOldOne(submission.key() + "-old");
        try (Broker broker = TestBroker.on(
                postgres.dataSource(), TestBroker.SETTINGS, new JobHook("order"), Limiter.NONE, crashPoints)) {
            broker.accept(ALICE, submission);
            new Sequencer(database, crashPoints).run();
            new CompletionAnnouncer(database, new JobHook().ends(), crashPoints).run();
            TestBroker.call(broker);
            AcceptKeys keys = new AcceptKeys(TestBroker.SETTINGS.keyRetention());
            new Retention(database, keys, TestBroker.SETTINGS.historyKept(), crashPoints).sweep();
        } catch (SimulatedCrash dead) {
            // The process is gone, with everything it knew.
        } catch (TransactionException e) {
            // A surviving process would report this to its caller; for the next process it makes no difference.
        }
    }

    private void sendAnOldOne(String key) {
        try (Broker broker = TestBroker.on(postgres.dataSource())) {
            broker.accept(ALICE, TestBroker.text(key, QUIET, "x"));
            new Sequencer(database, CrashPoints.NONE).run();
            database.transact("let time pass", tx -> tx.update("""
                    update tally.history
                    set accepted_at = now() - interval '31 days'
                    where destination = 'topic:quiet'
                    """));
        }
    }

    private long count(String sql, Submission submission) {
        return database.transact(
                "count",
                tx -> tx.first(sql, row -> row.getLong("n"), submission.key().value())
                        .orElseThrow());
    }

    private static Submission submission(Destination to, String key) {
        Envelope envelope = TestBroker.to(to, key, "x").envelope().withMentions(List.of("bob"));
        return Submission.of(TestBroker.key(key), envelope);
    }
}
