package dev.tallystick.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A key outlives its job: its retention counts from the end of the job, however long that was open. */
class KeyLifeTest {

    private static final int DAYS = KeyRetention.DEFAULT.days();
    private static final String DECOY = "decoy";

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private Workbench workbench;
    private Engine engine;

    @BeforeEach
    void open() {
        workbench = Workbench.withOldIds(postgres.dataSource());
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        workbench.workflow("continuing", (ctx, input) -> {
            ctx.await("go", String.class);
            return input.equals("input") ? ctx.continueAsNew("next") : input;
        });
        engine = workbench.start(
                workbench.database(), Workbench.SETTINGS.sweep(Duration.ofMillis(50)), CrashPoints.NONE);
    }

    @AfterEach
    void close() {
        workbench.close();
    }

    private void write(String statement, Object... parameters) {
        workbench.database().transact("let time pass", tx -> tx.update(statement, parameters));
    }

    /** Everything in the database was done so many days earlier. */
    private void daysPass(int days) {
        workbench.database().transact("let time pass", tx -> {
            tx.update("update tally.job set created_at = created_at - ? * interval '1 day'", days);
            tx.update("update tally.job set closed_at = closed_at - ? * interval '1 day'", days);
            tx.update("""
                    update tally.key
                    set expires_at = expires_at - ? * interval '1 day', first_seen_at = first_seen_at - ? * interval '1 day'
                    """, days, days);
            return tx.update("update tally.dropped_job set closed_at = closed_at - ? * interval '1 day'", days);
        });
    }

    /** Waits until all keys have been looked at, those that expired long ago first. */
    private void keysAreSwept() {
        write("""
                insert into tally.key
                    (key, mesh, member, door, status, fingerprint, destination, original_id, expires_at)
                values (?, 'default', 'library', 'accept', 'committed', ?, 'topic:none', ?, now() - interval '2 hours')
                """, DECOY, new byte[32], UUID.randomUUID());
        Eventually.holds(
                "keys are swept",
                () -> workbench
                        .database()
                        .transact("decoy", tx -> tx.first("select 1 from tally.key where key = ?", row -> 1, DECOY))
                        .isEmpty());
    }

    private JobId drop(JobId job) {
        new JobRetention(workbench.database(), KeyRetention.DEFAULT, Duration.ofDays(30)).sweep();
        assertThat(workbench.places(job)).isEmpty();
        return job;
    }

    private void end(JobId job) {
        workbench.signal(engine, job, "go");
        workbench.await(engine, job);
    }

    private void assertStands(String workflow, JobId job) {
        keysAreSwept();
        assertThat(workbench.accept(engine, workflow, "key")).isEqualTo(new Accepted.Duplicate(job));
    }

    private void assertForgotten() {
        keysAreSwept();
        assertThat(workbench.accept(engine, "waiting", "key")).isInstanceOf(Accepted.Fresh.class);
    }

    @Test
    void the_key_of_an_open_job_is_never_forgotten() {
        JobId job = workbench.submit(engine, "waiting", "key");
        daysPass(3 * DAYS);

        assertStands("waiting", job);
    }

    @Test
    void the_retention_of_a_key_counts_from_the_end_of_its_job() {
        JobId job = workbench.submit(engine, "waiting", "key");
        daysPass(DAYS - 5);
        end(job);
        daysPass(10);

        assertStands("waiting", job);

        daysPass(DAYS);
        assertForgotten();
    }

    @Test
    void the_key_of_a_long_job_is_kept_when_the_job_itself_is_not() {
        JobId job = workbench.submit(engine, "waiting", "key");
        daysPass(DAYS - 5);
        end(job);
        daysPass(40);
        drop(job);

        assertStands("waiting", job);

        daysPass(DAYS);
        assertForgotten();
        new JobRetention(workbench.database(), KeyRetention.DEFAULT, Duration.ofDays(30)).sweep();
        assertThat(workbench.count("dropped_job")).isZero();
    }

    @Test
    void a_job_that_goes_on_as_another_keeps_its_key() {
        JobId job = workbench.submit(engine, "continuing", "key");
        workbench.signal(engine, job, "go");
        Eventually.holds("it continues", () -> workbench.count("job") == 2);
        daysPass(DAYS + 40);
        drop(job);

        assertStands("continuing", job);
    }

    @Test
    void a_key_whose_job_took_no_time_is_kept_for_its_retention() {
        JobId job = workbench.submit(engine, "waiting", "key");
        end(job);
        daysPass(DAYS - 1);
        drop(job);
        assertStands("waiting", job);
        assertThat(workbench.count("dropped_job")).isZero();

        daysPass(2);
        assertForgotten();
    }
}
