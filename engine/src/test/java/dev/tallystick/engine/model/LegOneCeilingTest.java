package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R5 and R13: a body that kills its process is counted before it runs, and begun 999 times at most. */
class LegOneCeilingTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final AtomicInteger begun = new AtomicInteger();
    private final Signal running = new Signal("the body runs, and its process is about to die");
    private volatile boolean deadly = true;

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @BeforeEach
    void open() {
        workbench.workflow("deadly", (ctx, input) -> {
            begun.incrementAndGet();
            if (deadly) {
                running.fire();
                new Signal("never").await();
            }
            return "alive";
        });
    }

    @Test
    void each_claim_after_a_death_is_counted_in_the_leg_one_digits() {
        JobId job = beginAndDie();

        Engine engine = workbench.start();

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("alive");
        assertThat(workbench.activities(job)).containsExactly(" $main 002111100000001");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void attempt_999_is_made() {
        JobId job = beginAndDie();
        new Ledgers(postgres.dataSource()).setLedger(ActivityId.main(job), "998100000000000");

        Engine engine = workbench.start();

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("alive");
        assertThat(workbench.activities(job)).containsExactly(" $main 999111100000001");
    }

    @Test
    void attempt_1000_is_refused_and_the_job_is_a_dead_letter_that_is_escalated() {
        JobId job = beginAndDie();
        new Ledgers(postgres.dataSource()).setLedger(ActivityId.main(job), "999100000000000");

        Engine engine = workbench.start();
        Closed closed = workbench.await(engine, job);

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).isEqualTo("its body was begun 999 times, and no process that ran it came back");
        assertThat(begun).hasValue(1);
        assertThat(engine.reruns().deadLetters("default", 10)).singleElement().satisfies(letter -> {
            assertThat(letter.job()).isEqualTo(job);
            assertThat(letter.ceiling()).isTrue();
        });
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }

    @Test
    void a_body_that_waits_or_is_given_back_is_not_counted() {
        workbench.workflow("patient", (ctx, input) -> ctx.await("one", String.class) + ctx.await("two", String.class));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "patient", "key");
        workbench.awaitParked();
        engine.close();
        Engine next = workbench.start();
        workbench.signal(next, job, "one");
        workbench.signal(next, job, "two");

        workbench.await(next, job);

        assertThat(workbench.activities(job)).anyMatch(line -> line.startsWith(" $main 001"));
    }

    private JobId beginAndDie() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "deadly", "key");
        running.await();
        workbench.kill(engine);
        deadly = false;
        return job;
    }
}
