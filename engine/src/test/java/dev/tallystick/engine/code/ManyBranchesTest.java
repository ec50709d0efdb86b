package dev.tallystick.engine.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Context.Branch;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A job may have any number of branches; so many of them are at work at once. */
class ManyBranchesTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void steps_of_branches_beyond_a_number_wait_for_their_turn() {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch others = new CountDownLatch(3 * ExecutionThreads.STEPS_AT_ONCE + 1);
        Branch<String> branch = ctx -> ctx.step("work", String.class, () -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            if (begun.incrementAndGet() < ExecutionThreads.STEPS_AT_ONCE) {
                others.await();
            } else {
                LockSupport.parkNanos(1_000_000);
                others.countDown();
            }
            now.decrementAndGet();
            return "";
        });
        int number = 4 * ExecutionThreads.STEPS_AT_ONCE;
        workbench.workflow(
                "fan",
                (ctx, input) -> ctx.all(String.class, Collections.nCopies(number, branch))
                                .size() + " done");

        assertThat(workbench.run(workbench.start(), "fan")).isEqualTo(number + " done");
        assertThat(most).hasValue(ExecutionThreads.STEPS_AT_ONCE);
    }

    @Test
    void branches_that_wait_take_no_turn_from_those_that_work() {
        List<Branch<String>> waiting =
                Collections.nCopies(2 * ExecutionThreads.STEPS_AT_ONCE, ctx -> ctx.await("never", String.class));
        workbench.workflow(
                "race",
                (ctx, input) -> ctx.any(
                        String.class,
                        List.of(
                                branch -> String.join("", branch.all(String.class, waiting)),
                                branch -> branch.step("work", String.class, () -> "worked"))));

        assertThat(workbench.run(workbench.start(), "race")).isEqualTo("worked");
    }

    @Test
    void all_of_no_branches_is_an_empty_list() {
        workbench.workflow("none", (ctx, input) -> {
            List<String> results = ctx.all(String.class, List.of());
            return ctx.step("after", String.class, () -> "results: " + results);
        });

        assertThat(workbench.run(workbench.start(), "none")).isEqualTo("results: []");
    }

    @Test
    void any_of_no_branches_fails_the_job() {
        workbench.workflow("none", (ctx, input) -> ctx.any(String.class, List.of()));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "none", "key"));

        assertThat(closed.error()).contains("any() needs at least one branch");
    }
}
