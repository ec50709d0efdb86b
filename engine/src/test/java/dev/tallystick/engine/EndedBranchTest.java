package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Context.Branch;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.StepFailedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R22: branches that had ended when the race was decided, and whose results the workflow never sees. */
class EndedBranchTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_signal_that_a_branch_returned_is_there_again_when_its_sibling_fails() {
        workbench.workflow("race", (ctx, input) -> {
            assertThatThrownBy(() -> ctx.all(
                            String.class,
                            List.of(branch -> branch.await("approve", String.class), afterTheBranch("1.1", () -> {
                                throw new IllegalStateException("broken");
                            }))))
                    .isInstanceOf(StepFailedException.class);
            return ctx.await("approve", String.class);
        });

        assertThat(signalledDuringTheRace()).isEqualTo("payload");
    }

    @Test
    void a_signal_that_a_failed_branch_took_is_there_again_when_another_wins() {
        workbench.workflow("race", (ctx, input) -> {
            String won = ctx.any(
                    String.class,
                    List.of(
                            branch -> {
                                branch.await("approve", String.class);
                                throw new IllegalStateException("broken");
                            },
                            afterTheBranch("1.1", () -> "won")));
            return won + " " + ctx.await("approve", String.class);
        });

        assertThat(signalledDuringTheRace()).isEqualTo("won payload");
    }

    @Test
    void a_signal_that_an_ended_branch_acted_upon_is_used_up_when_its_sibling_fails() {
        workbench.workflow("race", (ctx, input) -> {
            assertThatThrownBy(() -> ctx.all(
                            String.class,
                            List.of(
                                    branch -> {
                                        branch.await("approve", String.class);
                                        return branch.step("act", String.class, () -> "");
                                    },
                                    afterTheBranch("1.1", () -> {
                                        throw new IllegalStateException("broken");
                                    }))))
                    .isInstanceOf(StepFailedException.class);
            return String.valueOf(ctx.await("approve", String.class, Duration.ofMillis(50)));
        });

        assertThat(signalledDuringTheRace()).isEqualTo("Optional.empty");
    }

    @Test
    void an_undo_of_a_losing_branch_runs_if_the_job_fails() {
        AtomicInteger undone = new AtomicInteger();
        Signal registered = new Signal("the losing branch has registered its undo");
        workbench.workflow("race", (ctx, input) -> {
            ctx.any(
                    String.class,
                    List.of(
                            branch -> {
                                branch.undo("give up seat", undone::incrementAndGet);
                                registered.fire();
                                return branch.await("never", String.class);
                            },
                            branch -> branch.step("wait", String.class, () -> {
                                registered.await();
                                return "";
                            })));
            ctx.step("decided", Integer.class, undone::get);
            throw new IllegalStateException("undone before: " + ctx.step("undone", Integer.class, undone::get));
        });
        Engine engine = workbench.start();

        Closed ended = workbench.await(engine, workbench.submit(engine, "race", "key"));

        assertThat(ended.toString()).contains("undone before: 0");
        assertThat(undone).hasValue(1);
    }

    /** A branch whose step ends once the record says that the branch at a path has ended. */
    private Branch<String> afterTheBranch(String path, Callable<String> then) {
        return branch -> branch.step("wait", String.class, Retry.NONE, () -> {
            Eventually.holds(
                    "the branch has ended",
                    () -> workbench.count("activity where path = '" + path
                                    + "' and (output is not null or error is not null)")
                            == 1);
            return then.call();
        });
    }

    private @Nullable String signalledDuringTheRace() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "race", "key");
        workbench.signal(engine, job, "approve");
        String result = workbench.result(workbench.await(engine, job));
        assertThat(workbench.violations()).isEmpty();
        return result;
    }
}
