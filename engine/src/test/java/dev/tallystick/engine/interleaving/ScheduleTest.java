package dev.tallystick.engine.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.CheckpointResult;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.record.CheckpointWriter;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.upkeep.TimerService;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Signalled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Orders of events that break engines which are almost right. */
class ScheduleTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    /** Does nothing that it is not rung for. */
    private static final EngineSettings DEAF = Workbench.SETTINGS.poll(Duration.ofHours(1));

    private final AtomicInteger effects = new AtomicInteger();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_dispatch_whose_reply_is_lost_is_no_further_attempt() {
        workbench.workflow("once", (ctx, input) -> {
            ctx.step("before", String.class, () -> "");
            return ctx.step("once", String.class, Retry.NONE, () -> "run " + effects.incrementAndGet());
        });
        try (TcpProxy proxy = postgres.proxy()) {
            Engine engine = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            proxy.onCommit(CommitPolicy.nextMentioning("with move as", CommitFate.LOSE_REPLY));

            assertThat(workbench.run(engine, "once")).isEqualTo("run 1");
            assertThat(proxy.commits(CommitFate.LOSE_REPLY)).isEqualTo(1);
            workbench.kill(engine);
        }
    }

    @Test
    void a_step_does_not_begin_while_the_result_before_it_is_on_its_way() {
        Signal leaving = new Signal("the first result is on its way");
        CountDownLatch begun = new CountDownLatch(1);
        workbench.workflow("two", (ctx, input) -> {
            ctx.step("one", String.class, () -> "");
            leaving.await();
            return ctx.step("two", String.class, () -> {
                begun.countDown();
                return String.join(",", workbench.activities(ctx.job()));
            });
        });
        try (TcpProxy proxy = postgres.proxy()) {
            Engine engine = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            proxy.onCommit(commit -> {
                if (commit.mentions("with move as") && !leaving.hasFired()) {
                    leaving.fire();
                    awaitWhatMustNotBe(begun);
                }
                return CommitFate.FORWARD;
            });

            assertThat(workbench.run(engine, "two")).contains("1 one 001111000000001");
            workbench.kill(engine);
        }
    }

    @Test
    void a_step_does_not_begin_when_the_result_before_it_was_refused() {
        Signal leaving = new Signal("the first result is on its way");
        AtomicInteger ones = new AtomicInteger();
        AtomicInteger twos = new AtomicInteger();
        workbench.workflow("two", (ctx, input) -> {
            ctx.step("one", Integer.class, ones::incrementAndGet);
            leaving.await();
            return "two " + ctx.step("two", Integer.class, twos::incrementAndGet);
        });
        try (TcpProxy proxy = postgres.proxy()) {
            Engine engine = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            proxy.onCommit(commit -> {
                if (commit.mentions("with move as") && !leaving.hasFired()) {
                    workbench
                            .database()
                            .transact("take over", tx -> tx.update("update tally.posting set fence = fence + 1"));
                    leaving.fire();
                }
                return CommitFate.FORWARD;
            });

            assertThat(workbench.run(engine, "two")).isEqualTo("two 1");
            assertThat(ones).hasValue(2);
            workbench.kill(engine);
        }
    }

    /** Gives what is wrong a moment to happen. */
    private static void awaitWhatMustNotBe(CountDownLatch latch) {
        try {
            boolean unused = latch.await(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_wait_whose_dispatch_comes_again_takes_no_second_signal() {
        Signal sent = new Signal("both signals are sent");
        workbench.workflow("two", (ctx, input) -> {
            ctx.step("first", String.class, () -> {
                sent.await();
                return "";
            });
            return ctx.await("go", String.class) + ctx.await("go", String.class);
        });
        try (TcpProxy proxy = postgres.proxy()) {
            Engine engine = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            JobId job = workbench.submit(engine, "two", "key");
            signal(engine, job, "s1", "a");
            signal(engine, job, "s2", "b");
            proxy.onCommit(CommitPolicy.nextMentioning("update tally.signal", CommitFate.LOSE_REPLY));
            sent.fire();

            assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("ab");
            assertThat(proxy.commits(CommitFate.LOSE_REPLY)).isEqualTo(1);
            workbench.kill(engine);
        }
    }

    @Test
    void a_body_that_parks_while_its_job_is_being_cancelled_is_not_left_behind() {
        Gate parking = new Gate("the body between its dispatch and its parking");
        workbench.workflow("parking", (ctx, input) -> ctx.await("never", String.class));
        Database reading = Database.on(postgres.dataSource(), RandomGenerator.getDefault(), point -> {
            if (Thread.currentThread().getName().equals("tally-reader")) {
                parking.pass();
            }
        });
        Engine engine = workbench.start(reading, DEAF, CrashPoints.NONE);
        JobId job = workbench.submit(engine, "parking", "key");
        parking.awaitArrival();

        cancelWhile(job, parking::open);

        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    @Test
    void a_child_that_is_dispatched_while_its_parent_is_being_cancelled_never_starts() {
        Signal cancelling = new Signal("the cancel is about to commit");
        workbench.workflow("child", (ctx, input) -> "" + effects.incrementAndGet());
        workbench.workflow("parent", (ctx, input) -> {
            ctx.step("first", String.class, () -> {
                cancelling.await();
                return "";
            });
            return ctx.child("child", "", String.class);
        });
        Engine engine = workbench.start(workbench.database(), DEAF, CrashPoints.NONE);
        JobId job = workbench.submit(engine, "parent", "key");
        Eventually.holds("the step runs", () -> workbench.activities(job).size() == 2);

        cancelWhile(job, cancelling::fire);

        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
        assertThat(workbench.count("job")).isEqualTo(1);
        assertThat(effects).hasValue(0);
    }

    /** Cancels the job of another engine, and holds the COMMIT until the body continues and runs into its locks. */
    private void cancelWhile(JobId job, Runnable bodyGoesOn) {
        AtomicBoolean armed = new AtomicBoolean();
        Gate gate = new Gate("the cancel before its commit");
        Database gated = Database.on(postgres.dataSource(), RandomGenerator.getDefault(), point -> {
            if (armed.get() && point == SqlCrashPoint.BEFORE_COMMIT) {
                gate.pass();
            }
        });
        workbench.database().transact("ask for the end", tx -> {
            new PostingStore().postCancel(tx, List.of(job));
            return null;
        });
        armed.set(true);
        TimerService canceller = new TimerService(gated, new PostingStore(), new CollationStore(), new JobStore());
        CompletableFuture<TimerService.Fired> fired = CompletableFuture.supplyAsync(canceller::fire);
        gate.awaitArrival();
        bodyGoesOn.run();
        Eventually.holds("the body waits for a lock of the cancel", this::somebodyWaitsForALock);
        gate.open();

        assertThat(fired.join().cancelled()).containsExactly(job);
        assertThat(workbench.await(workbench.start(), job).outcome()).isEqualTo(JobOutcome.CANCELLED);
    }

    private boolean somebodyWaitsForALock() {
        return workbench
                        .database()
                        .transact("look", tx -> tx.first("""
                select count(*) as n from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
                """, row -> row.getInt("n")))
                        .orElseThrow()
                > 0;
    }

    @Test
    void a_job_that_a_stranger_has_locked_does_not_stop_the_clock_of_the_others() {
        workbench.workflow("sleeping", (ctx, input) -> {
            ctx.sleep(Duration.ofMillis(300));
            return "awake";
        });
        Engine engine = workbench.start();
        JobId locked = workbench.submit(engine, "sleeping", "locked");
        workbench.awaitParked();
        workbench.database().transact("freeze", tx -> {
            tx.query("select 1 from tally.posting where job_id = ? for update", row -> 1, locked.value());
            assertThat(workbench.run(engine, "sleeping")).isEqualTo("awake");
            return null;
        });

        assertThat(workbench.result(workbench.await(engine, locked))).isEqualTo("awake");
    }

    @Test
    void a_signal_and_a_time_out_that_race_for_one_wait_have_one_winner_and_lose_nothing() {
        Duration patience = Duration.ofMillis(60);
        workbench.workflow(
                "racing",
                (ctx, input) -> ctx.await("go", String.class, patience)
                        .map("in time: "::concat)
                        .orElseGet(() -> "late: " + ctx.await("go", String.class)));
        JobId early = signalledBeforeItRuns("racing");
        Engine engine = workbench.start();
        Engine other = workbench.start();
        JobId late = workbench.submit(engine, "racing", "late");
        Eventually.holds(
                "it was too late", () -> workbench.count("activity where path = '2' and job_id = '" + late + "'") == 1);
        signal(other, late, "s", "it");
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            jobs.add(workbench.submit(engine, "racing", "key-" + i));
        }
        for (JobId job : jobs) {
            assertThat(signal(other, job, "s", "it")).isEqualTo(new Signalled.Kept(false));
            assertThat(signal(engine, job, "s", "it")).isEqualTo(new Signalled.Kept(true));
        }

        for (JobId job : jobs) {
            assertThat(workbench.result(workbench.await(engine, job))).endsWith(": it");
        }
        assertThat(workbench.result(workbench.await(engine, early))).isEqualTo("in time: it");
        assertThat(workbench.result(workbench.await(engine, late))).isEqualTo("late: it");
        assertThat(workbench.violations()).isEmpty();
        assertThat(workbench.count("signal where taken_by is null")).isZero();
    }

    /** A job whose signal is there before anything of it runs. */
    private JobId signalledBeforeItRuns(String workflow) {
        try (Engine accepting = workbench.idle()) {
            JobId job = workbench.submit(accepting, workflow, "early");
            assertThat(signal(accepting, job, "s", "it")).isEqualTo(new Signalled.Kept(false));
            return job;
        }
    }

    @Test
    void a_sleep_and_a_signal_that_race_for_an_any_have_one_winner_and_the_job_returns() {
        workbench.workflow(
                "either",
                (ctx, input) -> ctx.any(String.class, List.of(branch -> branch.await("go", String.class), branch -> {
                    branch.sleep(Duration.ofMillis(60));
                    return "slept";
                })));
        JobId early = signalledBeforeItRuns("either");
        Engine engine = workbench.start();
        Engine other = workbench.start();
        JobId late = workbench.submit(engine, "either", "late");
        assertThat(workbench.result(workbench.await(engine, late))).isEqualTo("slept");
        assertThat(signal(other, late, "s", "signalled")).isEqualTo(new Signalled.JobClosed());
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            jobs.add(workbench.submit(engine, "either", "key-" + i));
        }
        jobs.forEach(job -> signal(other, job, "s", "signalled"));

        for (JobId job : jobs) {
            assertThat(workbench.result(workbench.await(engine, job))).isIn("slept", "signalled");
        }
        assertThat(workbench.result(workbench.await(engine, early))).isEqualTo("it");
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    @Test
    void branches_that_finish_in_one_batch_each_pay_what_they_owe() {
        Signal all = new Signal("every branch is there");
        AtomicInteger there = new AtomicInteger();
        List<Context.Branch<String>> branches = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String name = "branch-" + i;
            branches.add(branch -> branch.step(name, String.class, () -> {
                if (there.incrementAndGet() == 20) {
                    all.fire();
                }
                all.await();
                return name;
            }));
        }
        workbench.workflow("join", (ctx, input) -> {
            List<String> joined = ctx.all(String.class, branches);
            ctx.sleep(Duration.ofMillis(10));
            return "" + joined.size();
        });

        assertThat(workbench.run(workbench.start(), "join")).isEqualTo("20");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void an_engine_that_was_cut_off_past_its_lease_cannot_write_and_its_replacement_finishes() {
        Signal running = new Signal("the first engine is at work");
        Signal replaced = new Signal("the job is finished elsewhere");
        workbench.workflow(
                "long",
                (ctx, input) -> ctx.step("long", String.class, () -> {
                    if (effects.incrementAndGet() > 1) {
                        return "fresh";
                    }
                    running.fire();
                    replaced.await();
                    return "stale";
                }));
        try (TcpProxy proxy = postgres.proxy()) {
            Engine first = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            JobId job = workbench.submit(first, "long", "key");
            running.await();
            proxy.blackHole();
            Engine second = workbench.start();

            assertThat(workbench.result(workbench.await(second, job))).isEqualTo("fresh");
            proxy.pass();
            replaced.fire();
            assertThat(workbench.result(workbench.await(first, job))).isEqualTo("fresh");
            workbench.kill(first);

            assertThat(workbench.activities(job)).containsExactly(" $main 002111100000001", "1 long 001111000000001");
            assertThat(workbench.violations()).isEmpty();
        }
    }

    @Test
    void a_stale_holder_of_a_lease_is_told_so_and_nothing_is_written() {
        Signal running = new Signal("the step runs");
        Signal mayEnd = new Signal("the step may end");
        workbench.workflow(
                "held",
                (ctx, input) -> ctx.step("held", String.class, () -> {
                    running.fire();
                    mayEnd.await();
                    return "held";
                }));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "held", "key");
        running.await();
        ActivityId main = ActivityId.main(job);
        Lease stale = new Lease(main, Guid.of(main, 0), 0);
        LegTwo forged =
                LegTwo.ending(main, 0, JobOutcome.COMPLETED, "\"forged\"".getBytes(StandardCharsets.UTF_8), null);
        CollationStore collation = new CollationStore();
        PostingStore postings = new PostingStore();
        CheckpointWriter checkpointWriter =
                new CheckpointWriter(collation, postings, new JobStore(), new SignalStore(), Duration.ofSeconds(2));

        List<CheckpointResult> told = workbench
                .database()
                .transact(
                        "forge",
                        tx -> new ArrayList<>(checkpointWriter.apply(
                                tx, List.of(new Checkpoint(stale, List.of(forged), List.of(), List.of(), List.of())))));

        assertThat(told).containsExactly(new CheckpointResult.LeaseLost());
        assertThat(workbench.activities(job)).contains(" $main 001100000000000");
        mayEnd.fire();
        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("held");
    }

    private static Signalled signal(Engine engine, JobId job, String key, String payload) {
        return engine.signal("default", job, "go", key, ("\"" + payload + "\"").getBytes(StandardCharsets.UTF_8))
                .join();
    }
}
