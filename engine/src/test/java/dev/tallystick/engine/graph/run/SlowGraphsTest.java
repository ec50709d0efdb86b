package dev.tallystick.engine.graph.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.workflow.JobId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SlowGraphsTest {

    private static final JobId JOB = new JobId(new UUID(0, 1));
    private static final JobId OTHER = new JobId(new UUID(0, 2));

    private final SlowGraphs slow = new SlowGraphs();

    @Test
    void a_job_is_planned_again_five_times_in_a_row_at_most() {
        for (int i = 0; i < 5; i++) {
            assertThat(slow.mayStarve(JOB)).as("try %d", i).isTrue();
        }

        assertThat(slow.mayStarve(JOB)).isFalse();
        assertThat(slow.mayStarve(JOB)).isFalse();
        assertThat(slow.mayStarve(OTHER)).isTrue();
    }

    @Test
    void a_plan_that_succeeds_ends_the_row() {
        for (int i = 0; i < SlowGraphs.MAX_STARVED; i++) {
            assertThat(slow.mayStarve(JOB)).isTrue();
        }
        slow.planned(JOB);

        assertThat(slow.mayStarve(JOB)).isTrue();
    }

    @Test
    void graphs_and_jobs_are_slow_each_for_itself() {
        slow.add("one");
        slow.add(JOB);

        assertThat(slow.has("one")).isTrue();
        assertThat(slow.has("another")).isFalse();
        assertThat(slow.has(JOB)).isTrue();
        assertThat(slow.has(OTHER)).isFalse();
    }
}
