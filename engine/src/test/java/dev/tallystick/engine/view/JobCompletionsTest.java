package dev.tallystick.engine.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ends are kept with the transaction that makes them, for those who watch, until they are taken. */
class JobCompletionsTest {

    private static final String MESH = "default";

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final JobCompletionStore ends = new JobCompletionStore();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void the_ends_of_watched_workflows_are_kept_until_they_are_taken() {
        workbench.workflow("watched", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        workbench.workflow("failing", (ctx, input) -> {
            throw new IllegalStateException("no");
        });
        workbench.workflow("other", (ctx, input) -> "done");
        Engine engine = workbench.start();
        watch("w1", "watched");
        watch("w2", "watched");
        watch("w1", "failing");
        JobId good = workbench.submit(engine, "watched", "a");
        JobId bad = workbench.submit(engine, "failing", "b");
        JobId other = workbench.submit(engine, "other", "c");
        List.of(good, bad, other).forEach(job -> workbench.await(engine, job));

        List<JobCompletion> taken = take();

        assertThat(taken)
                .extracting(
                        JobCompletion::job, JobCompletion::firstJob, JobCompletion::workflow, JobCompletion::outcome)
                .containsExactlyInAnyOrder(
                        tuple(good, good, "watched", JobOutcome.COMPLETED),
                        tuple(bad, bad, "failing", JobOutcome.FAILED));
        assertThat(take()).isEmpty();
        assertThat(workbench.count("ended_job")).isZero();
    }

    @Test
    void what_was_taken_in_a_transaction_that_fails_is_still_there() {
        workbench.workflow("watched", (ctx, input) -> "done");
        Engine engine = workbench.start();
        watch("w", "watched");
        JobId job = workbench.submit(engine, "watched", "a");
        workbench.await(engine, job);

        assertThatThrownBy(() -> workbench.database().transact("die", tx -> {
                    assertThat(ends.take(tx, 10)).hasSize(1);
                    throw new IllegalStateException("died");
                }))
                .hasMessage("died");

        assertThat(take()).extracting(JobCompletion::job).containsExactly(job);
    }

    @Test
    void the_end_of_a_chain_is_one_end_and_names_the_job_that_was_submitted() {
        workbench.workflow("flow", (ctx, input) -> input.length() < 7 ? ctx.continueAsNew(input + "x") : input);
        Engine engine = workbench.start();
        watch("w", "flow");
        JobId first = workbench.submit(engine, "flow", "key");
        workbench.await(engine, first);

        assertThat(take()).singleElement().satisfies(end -> {
            assertThat(end.firstJob()).isEqualTo(first);
            assertThat(end.job()).isNotEqualTo(first);
        });
    }

    @Test
    void a_cancelled_job_has_ended_and_who_does_not_watch_any_more_costs_nothing() {
        workbench.workflow("waiting", (ctx, input) -> ctx.await("never", String.class));
        Engine engine = workbench.start();
        watch("w", "waiting");
        JobId job = workbench.submit(engine, "waiting", "a");
        engine.cancel("default", job);
        workbench.await(engine, job);
        assertThat(take()).extracting(JobCompletion::outcome).containsExactly(JobOutcome.CANCELLED);

        workbench.database().transact("unwatch", tx -> {
            ends.unwatch(tx, "w");
            return true;
        });
        JobId unheard = workbench.submit(engine, "waiting", "b");
        engine.cancel("default", unheard);
        workbench.await(engine, unheard);
        assertThat(workbench.count("ended_job")).isZero();
    }

    private void watch(String watcher, String workflow) {
        workbench.database().transact("watch", tx -> {
            ends.watch(tx, watcher, MESH, workflow);
            return true;
        });
    }

    private List<JobCompletion> take() {
        return workbench.database().transact("take", tx -> ends.take(tx, 10));
    }
}
