package dev.tallystick.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphLimit;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.SettableClock;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The job of a schedule is made before the transaction that fires it: user code and budgets delay no one else. */
class FiringTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final SettableClock clock = SettableClock.at("2030-01-01T00:00:00Z");

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    private Engine engine;
    private Scheduler scheduler;

    @BeforeEach
    void open() {
        workbench.workflow("report", (ctx, input) -> "reported " + input);
        engine = workbench.start();
        scheduler = scheduler(Submitters.ALL);
    }

    private Scheduler scheduler(Submitters submitters) {
        return new Scheduler(
                workbench.database(),
                engine,
                submitters,
                SharedClock.of(clock),
                Duration.ofSeconds(1),
                CrashPoints.NONE);
    }

    private static Schedule schedule(String name, String cron, ZoneId zone) {
        return SchedulerTest.scheduleOf("report", name, cron, zone);
    }

    private ScheduleView view(String name) {
        return scheduler.find(Scope.DEFAULT.mesh(), name).orElseThrow();
    }

    private List<String> keys() {
        return workbench
                .database()
                .transact(
                        "keys", tx -> tx.query("select key from tally.key order by key", row -> row.getString("key")));
    }

    @Test
    void r25_the_key_of_a_limit_is_asked_for_elsewhere_and_while_no_schedule_is_locked() throws Exception {
        Signal asked = new Signal("the key of the limit is asked for");
        Signal answered = new Signal("the key of the limit is there");
        List<String> threads = new CopyOnWriteArrayList<>();
        engine.register(WorkflowType.of("limited", String.class, String.class, (ctx, input) -> input)
                .limit(Limit.<String>per(input -> {
                            threads.add(Thread.currentThread().getName());
                            asked.fire();
                            answered.await();
                            return "key";
                        })
                        .concurrency(1)));
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        scheduler.save(SchedulerTest.scheduleOf("limited", "slow", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));

        CompletableFuture<Integer> fired = CompletableFuture.supplyAsync(scheduler::fire);
        asked.await();

        assertThat(view("nightly").firedFor()).isPresent();
        List<String> free = workbench
                .database()
                .transact(
                        "lock",
                        tx -> tx.query(
                                "select name from tally.schedule order by name for update skip locked",
                                row -> row.getString("name")));
        assertThat(free).containsExactly("nightly", "slow");
        answered.fire();
        assertThat(fired.get()).isEqualTo(2);
        assertThat(view("slow").firedFor()).isPresent();
        assertThat(threads).allMatch(name -> name.startsWith("tally-user-code-"));
    }

    @Test
    void r25_what_the_key_of_a_limit_throws_is_the_trouble_of_its_schedule_alone() {
        engine.register(WorkflowType.of("limited", String.class, String.class, (ctx, input) -> input)
                .limit(Limit.<String>per(input -> {
                            throw new NoClassDefFoundError("planted");
                        })
                        .concurrency(1)));
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        scheduler.save(SchedulerTest.scheduleOf("limited", "broken", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));

        assertThat(scheduler.fire()).isEqualTo(2);

        assertThat(view("nightly").firedFor()).isPresent();
        assertThat(view("broken").firedFor()).isEmpty();
        assertThat(view("broken").trouble()).contains("the limit of workflow 'limited' has no key", "planted");
        assertThat(view("broken").nextAt()).isEqualTo("2030-01-02T02:00:00Z");
    }

    @Test
    void r25_what_the_key_of_a_graphs_limit_comes_to_is_the_trouble_of_its_schedule_alone() {
        engine.register(Graph.named("limited")
                .trigger("start")
                .limit(GraphLimit.per("$error('planted')").concurrency(1))
                .build());
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        scheduler.save(SchedulerTest.scheduleOf("limited", "broken", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));

        assertThat(engine.maker().hasLimit("limited")).isTrue();
        assertThat(scheduler.fire()).isEqualTo(2);

        assertThat(view("nightly").firedFor()).isPresent();
        assertThat(view("broken").firedFor()).isEmpty();
        assertThat(view("broken").trouble()).contains("the limit of workflow 'limited' has no key", "planted");
    }

    /** A busy machine must not cost a schedule its moment. */
    @Test
    void a_schedule_whose_limit_hardly_ran_stays_due_and_fires_later() {
        Signal answered = new Signal("the key of the limit is there");
        engine.register(WorkflowType.of("limited", String.class, String.class, (ctx, input) -> input)
                .limit(Limit.<String>per(input -> {
                            answered.await();
                            return "key";
                        })
                        .concurrency(1)));
        Scheduler brief = new Scheduler(
                workbench.database(),
                engine,
                Submitters.ALL,
                SharedClock.of(clock),
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                CrashPoints.NONE);
        brief.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        brief.save(SchedulerTest.scheduleOf("limited", "slow", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));

        assertThat(brief.fire()).isEqualTo(1);
        assertThat(view("nightly").firedFor()).isPresent();
        assertThat(view("slow").nextAt()).isEqualTo("2030-01-01T02:00:00Z");
        assertThat(view("slow").trouble()).isNull();

        answered.fire();
        assertThat(brief.fire()).isEqualTo(1);
        assertThat(view("slow").firedFor()).contains(Instant.parse("2030-01-01T02:00:00Z"));
    }

    @Test
    void a_schedule_that_changes_while_it_is_about_to_fire_fires_as_it_is_then() throws Exception {
        Signal asked = new Signal("the key of the limit is asked for");
        Signal answered = new Signal("the key of the limit is there");
        engine.register(WorkflowType.of("limited", String.class, String.class, (ctx, input) -> input)
                .limit(Limit.<String>per(input -> {
                            asked.fire();
                            answered.await();
                            return "key";
                        })
                        .concurrency(1)));
        scheduler.save(SchedulerTest.scheduleOf("limited", "nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));
        CompletableFuture<Integer> fired = CompletableFuture.supplyAsync(scheduler::fire);
        asked.await();

        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        answered.fire();

        assertThat(fired.get()).isZero();
        assertThat(scheduler.fire()).isEqualTo(1);
        assertThat(workbench.result(
                        workbench.await(engine, view("nightly").firedJob().orElseThrow())))
                .isEqualTo("reported numbers");
    }

    @Test
    void a_schedule_whose_budget_is_used_up_keeps_its_moment_and_lets_the_others_fire() {
        AtomicReference<Optional<Duration>> wait = new AtomicReference<>(Optional.of(Duration.ofSeconds(30)));
        Submitters spenders = new Submitters() {
            @Override
            public boolean include(Tx tx, Scope scope) {
                return true;
            }

            @Override
            public Optional<Duration> spend(ScopedKey key, Fingerprint request, int bytes) {
                return key.key().value().startsWith("schedule:dear:") ? wait.get() : Optional.empty();
            }
        };
        Scheduler paying = scheduler(spenders);
        paying.save(schedule("dear", "0 2 * * *", ZoneOffset.UTC));
        paying.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));

        assertThat(paying.fire()).isEqualTo(2);
        assertThat(keys()).containsExactly("schedule:nightly:2030-01-01T02:00:00Z");
        assertThat(view("dear").trouble()).contains("waits until 2030-01-01T02:00:30Z", "budget");
        clock.set(Instant.parse("2030-01-01T02:00:29Z"));
        assertThat(paying.fire()).isZero();

        wait.set(Optional.empty());
        clock.set(Instant.parse("2030-01-01T02:00:30Z"));
        assertThat(paying.fire()).isEqualTo(1);
        assertThat(keys())
                .containsExactly("schedule:dear:2030-01-01T02:00:00Z", "schedule:nightly:2030-01-01T02:00:00Z");
        assertThat(view("dear").trouble()).isNull();
        assertThat(view("dear").nextAt()).isEqualTo("2030-01-02T02:00:00Z");
    }
}
