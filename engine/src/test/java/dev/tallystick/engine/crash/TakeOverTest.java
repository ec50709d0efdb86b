package dev.tallystick.engine.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a process had leased when it died is free at once for its successor, and for other processes only after its lease. */
class TakeOverTest {

    /** So long that a test would fail before one is over. */
    private static final EngineSettings LONG_LEASES =
            Workbench.SETTINGS.lease(Duration.ofHours(1), Duration.ofMinutes(1));

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final AtomicInteger begun = new AtomicInteger();
    private final Signal running = new Signal("a step is running");
    private final Signal never = new Signal("something that never comes");

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @BeforeEach
    void open() {
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, this::hangTheFirstTime));
        workbench.workflow("once", (ctx, input) -> ctx.step("one", String.class, Retry.NONE, this::hangTheFirstTime));
    }

    private String hangTheFirstTime() {
        if (begun.incrementAndGet() == 1) {
            running.fire();
            never.await();
        }
        return "done";
    }

    private Engine start(String instance) {
        return workbench.start(workbench.database(), LONG_LEASES.instance(instance), CrashPoints.NONE);
    }

    private JobId leftByADeadProcess(String workflow) {
        Engine doomed = start("a");
        JobId job = workbench.submit(doomed, workflow, "key");
        running.await();
        workbench.kill(doomed);
        return job;
    }

    /** What the process a has leased, and no process that took it over. */
    private long leasedToA() {
        return workbench.count("posting where visible_at > now() and visible_at < 'infinity' and owner ~ '^a/[^/]+$'");
    }

    @Test
    void a_job_that_was_running_goes_on_as_soon_as_its_process_is_there_again() {
        JobId job = leftByADeadProcess("one");

        assertThat(workbench.result(workbench.await(start("a"), job))).isEqualTo("done");
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_step_that_may_be_tried_only_once_is_not_begun_again() {
        JobId job = leftByADeadProcess("once");

        assertThat(workbench.await(start("a"), job).outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(begun).hasValue(1);
    }

    @Test
    void the_leases_of_others_stay() {
        leftByADeadProcess("one");
        start("b");
        start("a/b");
        assertThat(leasedToA()).isEqualTo(1);

        Engine successor = start("a");
        JobId second = workbench.submit(successor, "one", "second");
        workbench.await(successor, second);
        assertThat(begun).hasValueGreaterThan(1);
    }
}
