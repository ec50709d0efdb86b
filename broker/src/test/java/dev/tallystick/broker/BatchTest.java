package dev.tallystick.broker;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.INVOICES;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.job;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.AcceptHook;
import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.BatchOutcome;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.message.Deliveries;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.keys.KeysCrashPoint;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many submissions at once: each for itself, and in order. */
class BatchTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Broker broker = TestBroker.on(postgres.dataSource());

    @AfterEach
    void close() {
        threads.shutdownNow();
        broker.close();
    }

    /** What became of each, in a word. */
    private static List<String> words(List<BatchOutcome> outcomes) {
        return outcomes.stream()
                .map(outcome -> switch (outcome) {
                    case BatchOutcome.Answered answered ->
                        answered.answer().getClass().getSimpleName();
                    case BatchOutcome.HeldBack held -> "HeldBack";
                    case BatchOutcome.Failed failed -> "Failed";
                })
                .toList();
    }

    private static List<String> inOrder(Destination destination) {
        return Database.on(postgres.dataSource())
                .transact("read keys", tx -> tx.query("""
                                select m.key
                                from tally.history h
                                join tally.message m on m.id = h.message_id
                                where h.mesh = ? and h.destination = ?
                                order by h.ordinal
                                """, row -> row.getString("key"), MESH, destination.toString()));
    }

    @Test
    void a_batch_keeps_its_order_whatever_its_keys_are() {
        List<Submission> batch = new ArrayList<>();
        List<String> keys = List.of("z", "a", "m", "b", "y", "c");
        keys.forEach(key -> batch.add(text(key, INVOICES, key)));

        assertThat(words(broker.acceptAll(ALICE, batch))).containsOnly("Accepted");

        assertThat(inOrder(INVOICES)).isEqualTo(keys);
        assertThat(broker.deliveries().lease(ALICE, Inbox.queue("invoices"), 10, Deliveries.DEFAULT_LEASE))
                .extracting(delivery ->
                        ((Envelope.Body.Text) delivery.message().envelope().body()).text())
                .isEqualTo(keys);
        assertThat(words(broker.acceptAll(ALICE, batch))).containsOnly("Duplicate");
    }

    @Test
    void one_that_cannot_be_written_fails_alone() {
        JobHook sound = new JobHook("order");
        Set<AcceptHook.StartableJob> poison = ConcurrentHashMap.newKeySet();
        AcceptHook poisonable = new AcceptHook() {

            @Override
            public Plan plan(UUID id, Member member, Submission submission) {
                Plan plan = sound.plan(id, member, submission);
                if (plan instanceof Plan.Ready ready && submission.key().value().equals("poison")) {
                    poison.add(ready.job());
                }
                return plan;
            }

            @Override
            public void start(Tx tx, List<StartableJob> jobs) throws SQLException {
                if (jobs.stream().anyMatch(poison::contains)) {
                    throw new IllegalStateException("the hook fails");
                }
                sound.start(tx, jobs);
            }
        };
        try (Broker poisoned =
                TestBroker.on(postgres.dataSource(), TestBroker.SETTINGS, poisonable, Limiter.NONE, CrashPoints.NONE)) {
            List<BatchOutcome> outcomes = poisoned.acceptAll(
                    ALICE,
                    List.of(
                            text("first", ALERTS, "1"),
                            job("poison", "x"),
                            job("sound", "x"),
                            text("last", ALERTS, "2")));

            assertThat(words(outcomes)).containsExactly("Accepted", "Failed", "Accepted", "Accepted");
            assertThat(inOrder(ALERTS)).containsExactly("first", "last");
            assertThat(TestBroker.rows(postgres.dataSource()))
                    .containsEntry("key", 3L)
                    .containsEntry("test_job", 1L);
        }
    }

    static Stream<CrashPoint> points() {
        return Stream.of(
                BrokerCrashPoint.BUDGET_SPENT,
                KeysCrashPoint.ACCEPT_WRITTEN,
                BrokerCrashPoint.MESSAGES_WRITTEN,
                BrokerCrashPoint.JOBS_WRITTEN,
                SqlCrashPoint.BEFORE_COMMIT,
                SqlCrashPoint.AFTER_COMMIT,
                BrokerCrashPoint.ACCEPTED);
    }

    @ParameterizedTest
    @MethodSource("points")
    void after_a_crash_at_any_point_a_repeat_of_the_batch_makes_one_of_everything_in_order(CrashPoint point) {
        List<Submission> batch = List.of(text("z", ALERTS, "1"), job("j", "x"), text("a", ALERTS, "2"));
        CrashAt crash = CrashAt.first(point);
        try (Broker dying =
                TestBroker.on(postgres.dataSource(), TestBroker.SETTINGS, new JobHook("order"), Limiter.NONE, crash)) {
            dying.acceptAll(ALICE, batch);
        } catch (SimulatedCrash | TransactionException dead) {
            // What it would have answered is lost.
        }

        assertThat(crash.hasCrashed()).isTrue();
        assertThat(words(broker.acceptAll(ALICE, batch))).isSubsetOf("Accepted", "Duplicate");
        assertThat(inOrder(ALERTS)).containsExactly("z", "a");
        assertThat(TestBroker.rows(postgres.dataSource()))
                .containsEntry("key", 3L)
                .containsEntry("message", 3L)
                .containsEntry("test_job", 1L);
        assertThat(broker.orphans().run().findings()).isEmpty();
    }

    @Test
    void what_is_in_progress_holds_back_what_follows_to_the_same_destination() throws Exception {
        Gate written = new Gate("the original before its commit");
        CrashPoints points = point -> {
            if (point == BrokerCrashPoint.MESSAGES_WRITTEN) {
                written.pass();
            }
        };
        List<Submission> batch =
                List.of(text("k1", ALERTS, "1"), text("k2", ALERTS, "2"), text("k3", ALERTS, "3"), job("j", "x"));
        try (Broker slow =
                TestBroker.on(postgres.dataSource(), TestBroker.SETTINGS, new JobHook(), Limiter.NONE, points)) {
            Future<Acceptance> original = threads.submit(() -> slow.accept(ALICE, text("k2", ALERTS, "2")));
            written.awaitArrival();

            List<String> here = words(slow.acceptAll(ALICE, batch.subList(1, 3)));
            List<String> elsewhere = words(broker.acceptAll(ALICE, batch));

            assertThat(here).as("seen by the gate").containsExactly("InProgress", "HeldBack");
            assertThat(elsewhere).as("seen by the key's lock").containsOnly("InProgress");
            assertThat(TestBroker.rows(postgres.dataSource())).isEqualTo(TestBroker.NO_ROWS);
            written.open();
            assertThat(original.get()).isInstanceOf(Acceptance.Accepted.class);
        }
        assertThat(words(broker.acceptAll(ALICE, batch)))
                .containsExactly("Accepted", "Duplicate", "Accepted", "Accepted");
    }
}
