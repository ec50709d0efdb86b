package dev.tallystick.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.SettableClock;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.WorkflowType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SchedulerTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final String MESH = Scope.DEFAULT.mesh();

    private final SettableClock clock = SettableClock.at("2030-01-01T00:00:00Z");

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    private Engine engine;
    private Scheduler scheduler;

    @BeforeEach
    void open() {
        workbench.workflow("report", (ctx, input) -> "reported " + input);
        engine = workbench.start();
        scheduler = scheduler(engine, CrashPoints.NONE);
    }

    @Test
    void a_schedule_fires_at_its_moment_and_not_before() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));

        clock.set(Instant.parse("2030-01-01T01:59:59Z"));
        assertThat(scheduler.fire()).isZero();
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));
        assertThat(scheduler.fire()).isEqualTo(1);
        assertThat(scheduler.fire()).isZero();

        ScheduleView view = view("nightly");
        assertThat(view.firedFor()).contains(Instant.parse("2030-01-01T02:00:00Z"));
        assertThat(view.nextAt()).isEqualTo("2030-01-02T02:00:00Z");
        assertThat(workbench.result(workbench.await(engine, view.firedJob().orElseThrow())))
                .isEqualTo("reported numbers");
        assertThat(keys()).containsExactly("schedule:nightly:2030-01-01T02:00:00Z");
    }

    @Test
    void moments_missed_while_all_were_down_come_to_one_job_for_the_last_of_them() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-04T12:00:00Z"));

        // As every process does when it starts.
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));

        assertThat(scheduler.fire()).isEqualTo(1);
        assertThat(scheduler.fire()).isZero();
        assertThat(keys()).containsExactly("schedule:nightly:2030-01-04T02:00:00Z");
        assertThat(view("nightly").nextAt()).isEqualTo("2030-01-05T02:00:00Z");
    }

    @Test
    void r28_a_process_whose_clock_is_a_year_ahead_neither_fires_early_nor_silences_a_schedule() {
        Engine wrong = workbench.start(
                workbench.database(),
                Workbench.SETTINGS,
                CrashPoints.NONE,
                workbench::registerAll,
                InstantSource.offset(Clock.systemUTC(), Duration.ofDays(365)));
        Scheduler ahead = new Scheduler(workbench.database(), wrong, Duration.ofSeconds(1), CrashPoints.NONE);

        Instant saved =
                ahead.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC)).nextAt();
        assertThat(saved)
                .isBefore(workbench
                        .database()
                        .transact("clock", SharedClock.DATABASE::now)
                        .plus(Duration.ofDays(1)));
        assertThat(ahead.fire()).isZero();
        assertThat(view("nightly").nextAt()).isEqualTo(saved);
    }

    @Test
    void two_processes_that_fire_at_once_start_one_job() throws Exception {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));
        Gate between = new Gate("between the submission and its commit");
        Scheduler slow = scheduler(engine, point -> {
            if (point == ScheduleCrashPoint.SUBMITTED) {
                between.pass();
            }
        });
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(slow::fire);
        between.awaitArrival();

        assertThat(scheduler(workbench.start(), CrashPoints.NONE).fire()).isZero();
        between.open();

        assertThat(first.get()).isEqualTo(1);
        assertThat(scheduler.fire()).isZero();
        assertThat(workbench.count("job")).isEqualTo(1);
    }

    @Test
    void many_processes_make_one_job_for_each_moment() {
        scheduler.save(schedule("minutely", "* * * * *", ZoneOffset.UTC));
        Engine other = workbench.start();
        List<Scheduler> schedulers = Stream.generate(() -> scheduler(other, CrashPoints.NONE))
                .limit(4)
                .toList();

        for (int minute = 0; minute < 10; minute++) {
            clock.advance(Duration.ofMinutes(1));
            schedulers.stream()
                    .map(each -> CompletableFuture.runAsync(each::fire))
                    .toList()
                    .forEach(CompletableFuture::join);
        }

        assertThat(workbench.count("job")).isEqualTo(10);
        assertThat(keys()).doesNotHaveDuplicates().hasSize(10);
    }

    static Stream<CrashPoint> deaths() {
        return Stream.of(
                SqlCrashPoint.BEFORE_COMMIT,
                SqlCrashPoint.AFTER_COMMIT,
                ScheduleCrashPoint.SUBMITTED,
                ScheduleCrashPoint.JOB_STARTED);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void a_process_that_dies_while_it_fires_leaves_one_job_for_the_moment(CrashPoint point) {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));
        int[] opening = {1};
        CrashAt crash = CrashAt.first(point);
        Database dying = Database.on(postgres.dataSource(), RandomGenerator.getDefault(), at -> {
            // The first commit is that of opening the database.
            if (!(at instanceof SqlCrashPoint) || opening[0] == 0) {
                crash.reached(at);
            } else if (at == SqlCrashPoint.AFTER_COMMIT) {
                opening[0]--;
            }
        });
        Scheduler doomed =
                new Scheduler(dying, engine, Submitters.ALL, SharedClock.of(clock), Duration.ofSeconds(1), crash);
        assertThatThrownBy(doomed::fire).isInstanceOf(SimulatedCrash.class);

        scheduler.fire();

        assertThat(keys()).containsExactly("schedule:nightly:2030-01-01T02:00:00Z");
        assertThat(workbench.count("job")).isEqualTo(1);
        assertThat(workbench
                        .await(engine, view("nightly").firedJob().orElseThrow())
                        .outcome())
                .isEqualTo(JobOutcome.COMPLETED);
    }

    @Test
    void a_firing_whose_reply_is_lost_is_not_done_again() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));
        try (TcpProxy proxy = postgres.proxy()) {
            Scheduler cutOff = new Scheduler(
                    Database.on(postgres.proxied(proxy)),
                    engine,
                    Submitters.ALL,
                    SharedClock.of(clock),
                    Duration.ofSeconds(1),
                    CrashPoints.NONE);
            proxy.onCommit(CommitPolicy.nextMentioning("update tally.schedule", CommitFate.LOSE_REPLY));

            assertThatThrownBy(cutOff::fire).isInstanceOf(UnknownOutcomeException.class);

            assertThat(cutOff.fire()).isZero();
        }
        assertThat(workbench.count("job")).isEqualTo(1);
    }

    @Test
    void a_paused_schedule_does_not_fire_and_goes_on_with_the_next_moment_when_it_is_resumed() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        assertThat(scheduler.pause(MESH, "nightly")).isPresent();
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-03T12:00:00Z"));

        assertThat(scheduler.fire()).isZero();
        assertThat(view("nightly").isPaused()).isTrue();
        assertThat(scheduler.resume(MESH, "nightly")).isPresent();

        assertThat(scheduler.fire()).isZero();
        assertThat(view("nightly").nextAt()).isEqualTo("2030-01-04T02:00:00Z");
        clock.set(Instant.parse("2030-01-04T02:00:00Z"));
        assertThat(scheduler.fire()).isEqualTo(1);
    }

    @Test
    void resuming_what_is_not_paused_takes_no_missed_moment_away() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-03T12:00:00Z"));

        assertThat(scheduler.resume(MESH, "nightly")).isPresent();

        assertThat(scheduler.fire()).isEqualTo(1);
    }

    @Test
    void a_schedule_can_be_triggered_at_any_time_and_once_for_each_key() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        scheduler.pause(MESH, "nightly");

        Accepted first = scheduler
                .trigger(MESH, "nightly", new IdempotencyKey("click-1"))
                .orElseThrow();
        Accepted again = scheduler
                .trigger(MESH, "nightly", new IdempotencyKey("click-1"))
                .orElseThrow();

        assertThat(first).isInstanceOf(Accepted.Fresh.class);
        assertThat(again).isInstanceOf(Accepted.Duplicate.class);
        assertThat(view("nightly").nextAt()).isEqualTo("2030-01-01T02:00:00Z");
        assertThat(scheduler.trigger(MESH, "daily", new IdempotencyKey("click-1")))
                .isEmpty();
    }

    @Test
    void a_changed_expression_counts_from_now() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T12:00:00Z"));

        scheduler.save(schedule("nightly", "0 3 * * *", ZoneId.of("Europe/Berlin")));

        assertThat(scheduler.fire()).isZero();
        assertThat(view("nightly").nextAt()).isEqualTo("2030-01-02T02:00:00Z");
    }

    @Test
    void a_moment_that_was_served_before_the_clock_was_set_back_is_not_served_again() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));
        scheduler.fire();
        clock.set(Instant.parse("2030-01-01T01:00:00Z"));
        scheduler.delete(MESH, "nightly");
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));

        assertThat(scheduler.fire()).isEqualTo(1);

        assertThat(workbench.count("job")).isEqualTo(1);
    }

    @Test
    void a_deleted_schedule_is_gone() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));

        assertThat(scheduler.delete(MESH, "nightly")).isTrue();

        assertThat(scheduler.delete(MESH, "nightly")).isFalse();
        assertThat(scheduler.pause(MESH, "nightly")).isEmpty();
        assertThat(scheduler.resume(MESH, "nightly")).isEmpty();
        assertThat(scheduler.list(MESH)).isEmpty();
        clock.set(Instant.parse("2030-01-05T00:00:00Z"));
        assertThat(scheduler.fire()).isZero();
    }

    @Test
    void a_process_that_does_not_know_the_workflow_leaves_it_to_one_that_does() {
        scheduler.save(schedule("nightly", "0 2 * * *", ZoneOffset.UTC));
        clock.set(Instant.parse("2030-01-01T02:00:00Z"));
        Engine stranger = workbench.start(
                workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, List.<WorkflowType<?, ?>>of());

        assertThat(scheduler(stranger, CrashPoints.NONE).fire()).isZero();

        assertThat(scheduler.fire()).isEqualTo(1);
    }

    private Scheduler scheduler(Engine on, CrashPoints crashPoints) {
        return new Scheduler(
                workbench.database(), on, Submitters.ALL, SharedClock.of(clock), Duration.ofSeconds(1), crashPoints);
    }

    private static Schedule schedule(String name, String cron, ZoneId zone) {
        return scheduleOf("report", name, cron, zone);
    }

    static Schedule scheduleOf(String workflow, String name, String cron, ZoneId zone) {
        return new Schedule(
                Scope.DEFAULT,
                name,
                workflow,
                Cron.parse(cron),
                zone,
                new JsonCodec().encode("numbers"),
                Fingerprint.of(Envelope.ofJob(workflow, new Json.StringValue("numbers"))),
                Priority.DEFAULT);
    }

    private ScheduleView view(String name) {
        return scheduler.find(MESH, name).orElseThrow();
    }

    private List<String> keys() {
        return workbench
                .database()
                .transact(
                        "keys", tx -> tx.query("select key from tally.key order by key", row -> row.getString("key")));
    }
}
