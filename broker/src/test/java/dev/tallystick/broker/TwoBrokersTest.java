package dev.tallystick.broker;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.job;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.TestPostgres;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Brokers that share one database and nothing else. */
class TwoBrokersTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private static final int ROUNDS = 2_000;
    private static final int AT_ONCE = 100;

    private final Broker one = TestBroker.on(postgres.dataSource());
    private final Broker other = TestBroker.on(postgres.dataSource());
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.shutdownNow();
        one.close();
        other.close();
    }

    @Test
    void the_same_key_to_both_at_the_same_moment_makes_one_job() throws Exception {
        for (int round = 0; round < ROUNDS; round += AT_ONCE) {
            List<Future<Acceptance>> ofOne = new ArrayList<>();
            List<Future<Acceptance>> ofOther = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                String key = "k" + (round + i);
                ofOne.add(threads.submit(() -> one.accept(ALICE, job(key, "x"))));
                ofOther.add(threads.submit(() -> other.accept(ALICE, job(key, "x"))));
            }
            for (int i = 0; i < AT_ONCE; i++) {
                List<Acceptance> answers =
                        List.of(ofOne.get(i).get(), ofOther.get(i).get());
                assertThat(answers).hasAtLeastOneElementOfType(Acceptance.Accepted.class);
                assertThat(answers).hasAtLeastOneElementOfType(Acceptance.Duplicate.class);
                assertThat(message(answers.getFirst())).isEqualTo(message(answers.getLast()));
            }
        }
        assertThat(TestBroker.rows(postgres.dataSource()))
                .containsEntry("test_job", (long) ROUNDS)
                .containsEntry("message", (long) ROUNDS)
                .containsEntry("key", (long) ROUNDS);
    }

    @Test
    void batches_with_crossed_key_orders_do_not_deadlock() throws Exception {
        for (int round = 0; round < 20; round++) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                keys.add("r" + round + "-" + i);
            }
            List<String> reversed = new ArrayList<>(keys);
            Collections.reverse(reversed);
            List<Future<Acceptance>> answers = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                String forwards = keys.get(i);
                String backwards = reversed.get(i);
                answers.add(threads.submit(() -> one.accept(ALICE, text(forwards, ALERTS, "x"))));
                answers.add(threads.submit(() -> other.accept(ALICE, text(backwards, ALERTS, "x"))));
            }
            for (Future<Acceptance> answer : answers) {
                assertThat(answer.get()).isInstanceOfAny(Acceptance.Accepted.class, Acceptance.Duplicate.class);
            }
        }
        assertThat(TestBroker.rows(postgres.dataSource())).containsEntry("message", 1_000L);
        assertThat(deadlocks()).isZero();
    }

    /**
     * The original has found its topic and is about to commit when the topic is deleted and the retry arrives: the retry must
     * not be answered that there is no such topic.
     */
    @Test
    void a_retry_is_not_refused_for_a_topic_that_its_original_still_found() throws Exception {
        Gate written = new Gate("the original before its commit");
        CrashPoints points = point -> {
            if (point == BrokerCrashPoint.MESSAGES_WRITTEN) {
                written.pass();
            }
        };
        try (Broker slow =
                TestBroker.on(postgres.dataSource(), TestBroker.SETTINGS, new JobHook(), Limiter.NONE, points)) {
            Future<Acceptance> original = threads.submit(() -> slow.accept(ALICE, text("k", ALERTS, "x")));
            written.awaitArrival();
            one.directory().delete(TestBroker.MESH, ALERTS);
            Future<Acceptance> retry = threads.submit(() -> repeatedly(one));
            Eventually.holds("the retry to wait for the key", this::somebodyWaits);
            written.open();

            assertThat(original.get()).isInstanceOf(Acceptance.Accepted.class);
            assertThat(retry.get()).isInstanceOf(Acceptance.Duplicate.class);
        }
    }

    /** A broker waits for another only so long; then nothing has happened, and the caller may ask again. */
    private static Acceptance repeatedly(Broker broker) {
        while (true) {
            try {
                return broker.accept(ALICE, text("k", ALERTS, "x"));
            } catch (DefiniteFailureException e) {
                assertThat(e.reason()).isEqualTo(DefiniteFailureException.Reason.LOCKED);
            }
        }
    }

    private boolean somebodyWaits() {
        return Database.on(postgres.dataSource())
                .transact(
                        "look at locks",
                        tx -> tx.first("select 1 from pg_stat_activity where wait_event_type = 'Lock'", row -> true)
                                .isPresent());
    }

    private long deadlocks() {
        return Database.on(postgres.dataSource())
                .transact(
                        "count deadlocks",
                        tx -> tx.first(
                                        "select deadlocks from pg_stat_database where datname = current_database()",
                                        row -> row.getLong("deadlocks"))
                                .orElseThrow());
    }

    private static AcceptedMessage message(Acceptance answer) {
        return switch (answer) {
            case Acceptance.Accepted accepted -> accepted.message();
            case Acceptance.Duplicate duplicate -> duplicate.message();
            default -> throw new AssertionError("neither accepted nor a duplicate: " + answer);
        };
    }
}
