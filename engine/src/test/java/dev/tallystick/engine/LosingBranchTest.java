package dev.tallystick.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.Context.Branch;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.StepFailedException;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskOutcome;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R22: the transaction that decides a race ends the losers, and all that they have open. */
class LosingBranchTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Branch<String> BRIEF_SLEEP = branch -> {
        branch.sleep(Duration.ofMillis(50));
        return "slept";
    };

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    private final Signal decided = new Signal("the race is decided");

    @Test
    void a_signal_after_the_race_reaches_the_next_wait_and_not_the_one_that_lost() {
        workbench.workflow("race", (ctx, input) -> {
            String first = ctx.any(String.class, List.of(branch -> branch.await("approve", String.class), BRIEF_SLEEP));
            noteDecided(ctx);
            return first + " " + ctx.await("approve", String.class);
        });

        assertThat(signalledAfterTheRace()).isEqualTo("slept payload");
    }

    @Test
    void a_signal_after_a_failed_sibling_reaches_the_next_wait() {
        workbench.workflow("race", (ctx, input) -> {
            try {
                ctx.all(String.class, List.of(branch -> branch.await("approve", String.class), branch -> {
                    branch.sleep(Duration.ofMillis(50));
                    throw new IllegalStateException("broken");
                }));
            } catch (StepFailedException expected) {
                noteDecided(ctx);
            }
            return ctx.await("approve", String.class);
        });

        assertThat(signalledAfterTheRace()).isEqualTo("payload");
    }

    @Test
    void a_signal_that_a_losing_branch_took_and_did_nothing_with_is_there_for_the_next_wait() {
        Signal taken = new Signal("the losing branch has the signal");
        workbench.workflow("race", (ctx, input) -> {
            ctx.any(
                    String.class,
                    List.of(
                            branch -> {
                                branch.await("approve", String.class);
                                taken.fire();
                                return idleUntilInterrupted();
                            },
                            branch -> branch.step("wait", String.class, () -> {
                                taken.await();
                                return "";
                            })));
            return ctx.await("approve", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        workbench.signal(engine, job, "approve");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("payload");
        assertThat(workbench.count("signal where taken_by is not null")).isEqualTo(1);
    }

    @Test
    void a_signal_that_a_losing_branch_gives_back_reaches_a_wait_that_is_open() {
        Signal taken = new Signal("the losing branch has the signal");
        workbench.workflow(
                "race",
                (ctx, input) -> String.join(
                        " ",
                        ctx.all(
                                String.class,
                                List.of(
                                        outer -> outer.any(
                                                String.class,
                                                List.of(
                                                        branch -> {
                                                            branch.await("approve", String.class);
                                                            taken.fire();
                                                            return idleUntilInterrupted();
                                                        },
                                                        branch -> branch.step("wait", String.class, () -> {
                                                            awaitWaits(2);
                                                            return "won";
                                                        }))),
                                        outer -> {
                                            outer.step("later", String.class, () -> {
                                                taken.await();
                                                return "";
                                            });
                                            return outer.await("approve", String.class);
                                        }))));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        awaitWaits(1);
        workbench.signal(engine, job, "approve");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("won payload");
    }

    @Test
    void a_signal_that_a_losing_branch_acted_upon_is_used_up() {
        Signal acted = new Signal("the losing branch has acted upon the signal");
        workbench.workflow("race", (ctx, input) -> {
            ctx.any(
                    String.class,
                    List.of(
                            branch -> {
                                branch.await("approve", String.class);
                                branch.step("act", String.class, () -> "");
                                acted.fire();
                                return idleUntilInterrupted();
                            },
                            branch -> branch.step("wait", String.class, () -> {
                                acted.await();
                                return "";
                            })));
            return String.valueOf(ctx.await("approve", String.class, Duration.ofMillis(50)));
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        workbench.signal(engine, job, "approve");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("Optional.empty");
    }

    @Test
    void a_task_of_a_losing_branch_takes_no_answer() {
        workbench.workflow("race", (ctx, input) -> {
            ctx.any(String.class, List.of(branch -> branch.task("approve", String.class, Ask.group("desk")), branch -> {
                branch.await("go", String.class);
                return "";
            }));
            noteDecided(ctx);
            return ctx.await("end", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        Eventually.holds("the task is asked", () -> workbench.count("task") == 1 && waits(job, "$await:$task:%"));
        TaskId task = engine.tasks().all("default", null, 10).getFirst().id();
        workbench.awaitParked();
        workbench.signal(engine, job, "go");
        decided.await();

        TaskOutcome answer =
                engine.tasks().resolve("default", task, Person.named("ann"), "\"yes\"".getBytes(UTF_8), "key");

        assertThat(answer).isInstanceOf(TaskOutcome.Over.class);
        assertThat(engine.tasks().all("default", null, 10)).isEmpty();
        assertEnds(engine, job);
    }

    @Test
    void the_deciding_transaction_ends_waits_timers_branches_and_children_of_the_losers() {
        workbench.workflow("child", (ctx, input) -> ctx.await("never", String.class));
        workbench.workflow("race", (ctx, input) -> {
            ctx.any(
                    String.class,
                    List.of(
                            branch -> branch.await("go", String.class),
                            branch -> branch.child("child", "", String.class),
                            branch -> String.join(
                                    "",
                                    branch.all(
                                            String.class,
                                            List.of(nested -> nested.await("never", String.class), nested -> {
                                                nested.sleep(Duration.ofHours(1));
                                                return "";
                                            })))));
            noteDecided(ctx);
            return ctx.await("end", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        Eventually.holds(
                "all wait", () -> waits(job, "$sleep") && waits(job, "$child:%") && waits(job, "$await:never"));
        workbench.signal(engine, job, "go");
        decided.await();

        assertThat(openOf(job)).isSubsetOf("", "3");
        assertThat(workbench.count("posting where name = '$sleep'")).isZero();
        assertThat(workbench.count("job where parent_job is null and semaphore = 1"))
                .isEqualTo(1);
        Eventually.holds(
                "the child is cancelled", () -> workbench.childrenOf(job).equals(List.of("cancelled")));
        assertEnds(engine, job);
    }

    @Test
    void no_nested_branch_of_a_loser_begins_a_step_after_the_decision() {
        AtomicInteger begun = new AtomicInteger();
        Signal firstCharge = new Signal("the first charge has begun");
        List<Branch<String>> charges = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String name = "charge" + i;
            boolean isFirst = i == 0;
            charges.add(nested -> {
                if (!isFirst) {
                    idleUntilDecided();
                }
                return nested.step(name, String.class, () -> {
                    begun.incrementAndGet();
                    firstCharge.fire();
                    return "";
                });
            });
        }
        workbench.workflow("race", (ctx, input) -> {
            ctx.any(
                    String.class,
                    List.of(
                            branch -> String.join("", branch.all(String.class, charges)),
                            branch -> branch.step("fast", String.class, () -> {
                                firstCharge.await();
                                return "";
                            })));
            noteDecided(ctx);
            return ctx.await("end", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        workbench.awaitParked();

        assertThat(begun).hasValue(1);
        assertThat(workbench.places(job)).noneMatch(place -> place.matches(".*charge[1-5]"));
        assertEnds(engine, job);
    }

    @Test
    void jobs_whose_losing_branches_are_at_work_make_room_for_others() {
        workbench.workflow("race", (ctx, input) -> {
            Signal atWork = new Signal("the losing branch is at work");
            ctx.any(
                    String.class,
                    List.of(
                            branch -> branch.step("slow", String.class, () -> {
                                atWork.fire();
                                return idleUntilInterrupted();
                            }),
                            branch -> branch.step("fast", String.class, () -> {
                                atWork.await();
                                return "";
                            })));
            return ctx.await("end", String.class);
        });
        workbench.workflow("other", (ctx, input) -> "there was room");
        Engine engine = workbench.start(workbench.database(), Workbench.SETTINGS.atOnce(2, 2), CrashPoints.NONE);
        JobId one = workbench.submit(engine, "race", "one");
        JobId two = workbench.submit(engine, "race", "two");
        Eventually.holds("both are decided", () -> workbench.count("activity where name = '$await:end'") == 2);

        assertThat(workbench.run(engine, "other")).isEqualTo("there was room");
        workbench.signal(engine, one, "end");
        workbench.await(engine, one);
        assertEnds(engine, two);
    }

    @Test
    void a_transaction_of_a_losing_branch_cannot_commit_after_the_decision() {
        workbench.database().transact("create", tx -> tx.update("create table effect (job uuid)"));
        Signal inserted = new Signal("the losing branch has inserted");
        Signal over = new Signal("the losing transaction is over");
        workbench.workflow("race", (ctx, input) -> {
            ctx.any(
                    String.class,
                    List.of(
                            branch -> {
                                try {
                                    return branch.transaction("pay", String.class, Retry.NONE, connection -> {
                                        try (PreparedStatement insert =
                                                connection.prepareStatement("insert into effect values (?)")) {
                                            insert.setObject(1, ctx.job().value());
                                            insert.executeUpdate();
                                        }
                                        inserted.fire();
                                        idleUntilDecided();
                                        return "";
                                    });
                                } finally {
                                    over.fire();
                                }
                            },
                            branch -> branch.step("fast", String.class, () -> {
                                inserted.await();
                                return "";
                            })));
            noteDecided(ctx);
            return ctx.await("end", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        over.await();

        long effects = workbench
                .database()
                .transact(
                        "count",
                        tx -> tx.first("select count(*) as n from effect", row -> row.getLong("n"))
                                .orElseThrow());

        assertThat(effects).isZero();
        assertEnds(engine, job);
    }

    /** What comes before a step is durable when the step is done. */
    private void noteDecided(Context ctx) {
        ctx.step("decided", String.class, () -> {
            decided.fire();
            return "";
        });
    }

    private @Nullable String signalledAfterTheRace() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        decided.await();
        workbench.signal(engine, job, "approve");
        String result = workbench.result(workbench.await(engine, job));
        assertThat(workbench.violations()).isEmpty();
        return result;
    }

    private void assertEnds(Engine engine, JobId job) {
        workbench.signal(engine, job, "end");
        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("payload");
        Eventually.value("all is closed", workbench::violations, List::isEmpty);
    }

    /** Places of a job whose work is not done. */
    private List<String> openOf(JobId job) {
        return workbench.marks(job).stream()
                .filter(line -> line.matches(".* \\d0\\d\\d"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    private void awaitWaits(int number) {
        Eventually.holds("waits are open", () -> workbench.count("activity where kind = 'await'") == number);
    }

    private boolean waits(JobId job, String name) {
        return workbench.count("activity where job_id = '" + job + "' and name like '" + name + "'") > 0;
    }

    /** As code does that waits for something else than its context; ends when the engine interrupts it. */
    private static String idleUntilInterrupted() {
        while (!Thread.interrupted()) {
            LockSupport.parkNanos(1_000_000);
        }
        return "";
    }

    /** As code does that ignores interrupts. */
    private void idleUntilDecided() {
        while (!decided.hasFired()) {
            LockSupport.parkNanos(Thread.interrupted() ? 0 : 1_000_000);
        }
        boolean unused = Thread.interrupted();
    }
}
