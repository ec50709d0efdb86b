package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.keys.KeyRetention;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobRetentionTest {

    private static final Duration KEPT = Duration.ofDays(30);

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private Workbench workbench;
    private Engine engine;

    @BeforeEach
    void open() {
        workbench = Workbench.withOldIds(postgres.dataSource());
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        workbench.workflow("waiting", (ctx, input) -> ctx.await("never", String.class));
        engine = workbench.start();
    }

    @AfterEach
    void close() {
        workbench.close();
    }

    @Test
    void what_closed_long_ago_is_dropped_with_all_that_belongs_to_it() {
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            jobs.add(workbench.submit(engine, "one", "key-" + i));
        }
        jobs.forEach(job -> workbench.await(engine, job));
        closedDaysAgo(jobs.get(0), 31);
        closedDaysAgo(jobs.get(1), 29);

        assertThat(sweep()).isEqualTo(1);

        assertThat(workbench.activities(jobs.get(0))).isEmpty();
        assertThat(workbench.guids(jobs.get(0))).isEmpty();
        assertThat(workbench.activities(jobs.get(1))).isNotEmpty();
        assertThat(workbench.count("job")).isEqualTo(2);
    }

    @Test
    void an_open_job_is_never_dropped() {
        workbench.submit(engine, "waiting", "key");

        assertThat(sweep()).isZero();
        assertThat(workbench.count("job")).isEqualTo(1);
    }

    @Test
    void the_key_of_a_dropped_job_still_stands_for_it() {
        JobId job = workbench.submit(engine, "one", "key");
        workbench.await(engine, job);
        closedDaysAgo(job, 31);
        sweep();

        assertThat(workbench.accept(engine, "one", "key")).isEqualTo(new Accepted.Duplicate(job));
        assertThat(workbench.count("job")).isZero();
    }

    private int sweep() {
        return new JobRetention(workbench.database(), KeyRetention.DEFAULT, KEPT).sweep();
    }

    private void closedDaysAgo(JobId job, int days) {
        workbench
                .database()
                .transact(
                        "age",
                        tx -> tx.update(
                                "update tally.job set closed_at = closed_at - ? * interval '1 day' where id = ?",
                                days,
                                job.value()));
    }
}
