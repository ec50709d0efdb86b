package dev.tallystick.engine.upkeep;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.view.JobEvents;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.TaskView;
import java.time.Duration;
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
        workbench.workflow("everything", (ctx, input) -> {
            ctx.attribute("colour", "blue");
            throw new IllegalStateException(ctx.task("ask", String.class, Ask.group("desk")));
        });
        engine = workbench.start();
    }

    @AfterEach
    void close() {
        workbench.close();
    }

    @Test
    void what_closed_long_ago_is_dropped_with_all_that_belongs_to_it() {
        JobId old = jobWithARowInEveryTable("old");
        JobId younger = jobWithARowInEveryTable("younger");
        assertThat(tablesWith(old)).containsExactlyElementsOf(tablesOfJobs());
        closedDaysAgo(old, 31);
        closedDaysAgo(younger, 29);

        assertThat(sweep()).isEqualTo(1);

        assertThat(tablesWith(old)).isEmpty();
        assertThat(tablesWith(younger)).containsExactlyElementsOf(tablesOfJobs());
        assertThat(workbench.count("job")).isEqualTo(1);
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

    private JobId jobWithARowInEveryTable(String key) {
        JobId job = workbench.submit(engine, "everything", key);
        workbench.signal(engine, job, "unread");
        Eventually.holds("the task is asked", () -> !openTasks(job).isEmpty());
        engine.tasks()
                .resolve(
                        "default",
                        openTasks(job).getFirst().id(),
                        Person.named("ann"),
                        "\"yes\"".getBytes(UTF_8),
                        "answer");
        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.FAILED);
        new JobEvents(workbench.database()).read("default", job, JobEvents.BEGINNING, 10);
        workbench.database().transact("add what only others leave", tx -> {
            tx.update("insert into tally.job_trace (job_id, traceparent) values (?, 'any')", job.value());
            tx.update(
                    "insert into tally.failed_attempt (job_id, guid, fence, said)"
                            + " values (?, gen_random_uuid(), 1, gen_random_uuid())",
                    job.value());
            return tx.update("""
                    insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
                    values (?, gen_random_uuid(), 'default', 'late', 1, 'infinity', '', '$late')
                    """, job.value());
        });
        return job;
    }

    private List<TaskView> openTasks(JobId job) {
        return engine.tasks().all("default", null, 10).stream()
                .filter(task -> task.job().equals(job))
                .toList();
    }

    /** Every table that names a job, except the one that announcing ends empties, and the one of dropped jobs. */
    private List<String> tablesOfJobs() {
        return workbench.database().transact("tables", tx -> tx.query("""
                select table_name
                from information_schema.columns
                where table_schema = 'tally' and column_name = 'job_id'
                    and table_name not in ('ended_job', 'dropped_job', 'erasure')
                order by table_name
                """, row -> row.getString("table_name")));
    }

    private List<String> tablesWith(JobId job) {
        return tablesOfJobs().stream()
                .filter(table -> workbench.count(table + " where job_id = '" + job + "'") > 0)
                .toList();
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
