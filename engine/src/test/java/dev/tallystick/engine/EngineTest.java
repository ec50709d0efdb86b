package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.StepFailedException;
import dev.tallystick.workflow.WorkflowChangedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EngineTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Retry QUICK = Retry.DEFAULT.waiting(Duration.ofMillis(1), Duration.ofMillis(5));

    private final AtomicInteger effects = new AtomicInteger();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_job_runs_its_steps_and_leaves_the_ledgers_of_the_document() {
        workbench.workflow("two", (ctx, input) -> {
            String one = ctx.step("one", String.class, () -> input + "+1");
            return ctx.step("two", String.class, () -> one + "+2");
        });
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "two", "key");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("input+1+2");
        assertThat(workbench.activities(job))
                .containsExactly(" $main 001111100000001", "1 one 001111000000001", "2 two 001111000000001");
        assertThat(workbench.guids(job))
                .containsExactly(" $main 000111100000001 #0", "1 one 000011000000001 #0", "2 two 000011000000001 #0");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void the_same_key_is_the_same_job_and_another_fingerprint_is_refused() {
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "" + effects.incrementAndGet()));
        workbench.workflow("other", (ctx, input) -> input);
        Engine engine = workbench.start();

        JobId first = workbench.submit(engine, "one", "key");
        workbench.await(engine, first);

        assertThat(workbench.accept(engine, "one", "key")).isEqualTo(new Accepted.Duplicate(first));
        assertThat(workbench.accept(engine, "other", "key")).isInstanceOf(Accepted.Reused.class);
        assertThat(effects).hasValue(1);
        assertThat(workbench.count("job")).isEqualTo(1);
    }

    @Test
    void many_identical_submissions_at_once_make_one_job() {
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "" + effects.incrementAndGet()));
        Engine engine = workbench.start();
        List<CompletableFuture<Accepted>> accepted = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            accepted.add(engine.submit(workbench.submission("one", "key", "input")));
        }

        assertThat(accepted.stream().map(CompletableFuture::join).filter(Accepted.Fresh.class::isInstance))
                .hasSize(1);
        assertThat(workbench.run(engine, "one")).isNotNull();
        assertThat(workbench.count("job")).isEqualTo(2);
    }

    @Test
    void a_step_that_fails_is_tried_again_and_its_attempts_are_no_further_leg_ones() {
        workbench.workflow(
                "flaky",
                (ctx, input) -> ctx.step("flaky", String.class, QUICK, () -> {
                    if (effects.incrementAndGet() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    return "at last";
                }));
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "flaky", "key");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("at last");
        assertThat(workbench.activities(job)).contains("1 flaky 001111000000001");
        assertThat(effects).hasValue(3);
    }

    @Test
    void a_step_that_always_fails_fails_its_job_with_a_readable_reason() {
        workbench.workflow(
                "doomed",
                (ctx, input) -> ctx.step("doomed", String.class, QUICK, () -> {
                    effects.incrementAndGet();
                    throw new IllegalStateException("no money");
                }));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "doomed", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("step 'doomed' failed", "no money");
        assertThat(effects).hasValue(5);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_workflow_may_handle_the_failure_of_a_step() {
        workbench.workflow("careful", (ctx, input) -> {
            try {
                return ctx.step("doomed", String.class, Retry.NONE, () -> {
                    throw new IllegalStateException("no money");
                });
            } catch (StepFailedException e) {
                return ctx.step("apologise", String.class, () -> "sorry");
            }
        });

        assertThat(workbench.run(workbench.start(), "careful")).isEqualTo("sorry");
    }

    @Test
    void a_sleeping_job_holds_nothing_and_goes_on_when_it_is_time() {
        workbench.workflow("sleepy", (ctx, input) -> {
            String before = ctx.step("before", String.class, () -> "" + effects.incrementAndGet());
            ctx.sleep(Duration.ofMillis(200));
            return before + ctx.step("after", String.class, () -> "" + effects.incrementAndGet());
        });

        assertThat(workbench.run(workbench.start(), "sleepy")).isEqualTo("12");
        assertThat(effects).hasValue(2);
        assertThat(workbench.violations()).isEmpty();
        assertThat(workbench.count("posting")).isZero();
    }

    @Test
    void branches_run_side_by_side_and_each_is_an_obligation() {
        Signal leftIsThere = new Signal("left");
        Signal rightIsThere = new Signal("right");
        workbench.workflow(
                "fork",
                (ctx, input) -> String.join(
                        " ",
                        ctx.all(
                                String.class,
                                List.of(
                                        branch -> branch.step("left", String.class, () -> {
                                            leftIsThere.fire();
                                            rightIsThere.await();
                                            return "left";
                                        }),
                                        branch -> branch.step("right", String.class, () -> {
                                            rightIsThere.fire();
                                            leftIsThere.await();
                                            return "right";
                                        })))));
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "fork", "key");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("left right");
        assertThat(workbench.activities(job))
                .containsExactly(
                        " $main 001111100000001",
                        "1.1 $branch 001111000000001",
                        "1.1.1 left 001111000000001",
                        "1.2 $branch 001111000000001",
                        "1.2.1 right 001111000000001");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void the_first_of_several_wins_and_the_job_does_not_wait_for_the_others() {
        workbench.workflow(
                "race",
                (ctx, input) -> ctx.any(
                        String.class,
                        List.of(
                                branch -> {
                                    branch.sleep(Duration.ofHours(1));
                                    return "slow";
                                },
                                branch -> {
                                    branch.sleep(Duration.ofMillis(100));
                                    return "fast";
                                })));

        assertThat(workbench.run(workbench.start(), "race")).isEqualTo("fast");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_failed_branch_fails_the_others() {
        Signal begun = new Signal("the healthy branch has begun");
        Signal stopped = new Signal("the healthy branch was stopped");
        workbench.workflow(
                "broken",
                (ctx, input) -> String.join(
                        "",
                        ctx.all(
                                String.class,
                                List.of(
                                        branch -> {
                                            branch.step("healthy", String.class, Retry.NONE, () -> {
                                                begun.fire();
                                                while (!Thread.interrupted()) {
                                                    LockSupport.parkNanos(1_000_000);
                                                }
                                                stopped.fire();
                                                return "";
                                            });
                                            return branch.step("next", String.class, () -> "");
                                        },
                                        branch -> branch.step("broken", String.class, Retry.NONE, () -> {
                                            begun.await();
                                            throw new IllegalStateException("broken");
                                        })))));
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "broken", "key");
        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("broken");
        stopped.await();
        assertThat(workbench.activities(job))
                .contains("1.1 $branch 001111000000001", "1.1.1 healthy 001111000000001")
                .noneMatch(line -> line.contains("next"));
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void ids_times_and_chance_are_the_same_in_every_run() {
        List<String> seen = new ArrayList<>();
        workbench.workflow("chance", (ctx, input) -> {
            String drawn = ctx.uuid() + " " + ctx.now() + " " + ctx.random().nextLong();
            seen.add(drawn);
            ctx.await("go", String.class);
            return drawn;
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "chance", "key");
        workbench.awaitParked();
        workbench.signal(engine, job, "go");

        String result = workbench.result(workbench.await(engine, job));

        assertThat(seen).hasSize(2).containsOnly(result);
    }

    @Test
    void r11_changed_code_stops_its_job_and_names_both_steps() {
        AtomicInteger version = new AtomicInteger(1);
        workbench.workflow("changing", (ctx, input) -> {
            ctx.step(version.get() == 1 ? "old" : "new", String.class, () -> "");
            return ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "changing", "key");
        workbench.awaitParked();
        version.set(2);
        workbench.signal(engine, job, "go");

        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("'old'", "'new'");
    }

    @Test
    void r11_steps_that_have_changed_places_stop_their_job_and_none_is_done_again() {
        AtomicInteger version = new AtomicInteger(1);
        workbench.workflow("changing", (ctx, input) -> {
            for (String name : version.get() == 1 ? List.of("charge", "ship") : List.of("ship", "charge")) {
                ctx.step(name, String.class, () -> "" + effects.incrementAndGet());
            }
            return ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "changing", "key");
        workbench.awaitParked();
        version.set(2);
        workbench.signal(engine, job, "go");

        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("'charge'", "'ship'");
        assertThat(effects).hasValue(2);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void r11_a_value_that_is_no_longer_asked_for_is_found_out_before_anything_is_done_again() {
        AtomicInteger version = new AtomicInteger(1);
        workbench.workflow("changing", (ctx, input) -> {
            ctx.step("charge", String.class, () -> "" + effects.incrementAndGet());
            if (version.get() == 1) {
                UUID unused = ctx.uuid();
            }
            ctx.step("ship", String.class, () -> "" + effects.incrementAndGet());
            return ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "changing", "key");
        workbench.awaitParked();
        version.set(2);
        workbench.signal(engine, job, "go");

        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("at place 2 the code says 'ship' and the record says nothing");
        assertThat(effects).hasValue(2);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void r11_changed_code_cannot_swallow_that_it_has_changed() {
        AtomicInteger version = new AtomicInteger(1);
        workbench.workflow("changing", (ctx, input) -> {
            try {
                ctx.step(version.get() == 1 ? "old" : "new", String.class, () -> "");
            } catch (WorkflowChangedException swallowed) {
                effects.incrementAndGet();
            }
            return ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "changing", "key");
        workbench.awaitParked();
        version.set(2);
        workbench.signal(engine, job, "go");

        Closed closed = workbench.await(engine, job);

        assertThat(closed.error()).contains("'old'", "'new'");
        assertThat(effects).hasValue(1);
    }

    @Test
    void a_result_that_is_too_large_fails_its_step_at_once() {
        workbench.workflow(
                "large",
                (ctx, input) -> ctx.step("large", String.class, () -> {
                    effects.incrementAndGet();
                    return "x".repeat(10_000_000);
                }));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "large", "key"));

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains("too large");
        assertThat(effects).hasValue(1);
    }

    @Test
    void a_result_of_a_transaction_that_is_too_large_is_rolled_back_and_fails_its_job() {
        workbench.workflow(
                "large",
                (ctx, input) -> ctx.transaction("large", String.class, Retry.DEFAULT, connection -> {
                    effects.incrementAndGet();
                    return "x".repeat(10_000_000);
                }));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "large", "key"));

        assertThat(closed.error()).contains("too large");
        assertThat(effects).hasValue(1);
    }

    @Test
    void a_step_that_runs_out_of_memory_fails_alone() {
        workbench.workflow(
                "greedy",
                (ctx, input) -> ctx.step("greedy", String.class, Retry.NONE, () -> {
                    throw new OutOfMemoryError("planted");
                }));
        workbench.workflow("modest", (ctx, input) -> ctx.step("modest", String.class, () -> "fine"));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "greedy", "key"));

        assertThat(closed.error()).contains("OutOfMemoryError");
        assertThat(workbench.run(engine, "modest")).isEqualTo("fine");
    }

    @Test
    void a_step_that_outlasts_its_lease_keeps_it_by_heartbeats() {
        workbench.workflow(
                "long",
                (ctx, input) -> ctx.step("long", String.class, () -> {
                    effects.incrementAndGet();
                    try {
                        new Signal("never").await(Workbench.SETTINGS.lease().multipliedBy(2));
                    } catch (AssertionError expected) {
                        return "long";
                    }
                    return "early";
                }));
        Engine engine = workbench.start();
        workbench.start();

        assertThat(workbench.run(engine, "long")).isEqualTo("long");
        assertThat(effects).hasValue(1);
    }
}
