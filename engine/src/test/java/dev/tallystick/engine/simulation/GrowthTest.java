package dev.tallystick.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.IndexUseStore;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An engine that was started on an empty database, and is full of jobs before Postgres has noticed. */
class GrowthTest {

    private static final int ROUNDS = 4;
    private static final int AT_ONCE = 10;

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @Test
    void what_was_planned_while_the_tables_were_empty_does_not_walk_them_when_they_are_full() throws Exception {
        IndexUseStore indexes = new IndexUseStore(postgres.unpooled());
        indexes.freeze();
        SimulatedWorkflows workflows = new SimulatedWorkflows(Duration.ofMillis(10));
        HikariConfig pool = new HikariConfig();
        pool.setDataSource(postgres.unpooled());
        try (HikariDataSource sessions = new HikariDataSource(pool);
                Workbench bench = new Workbench(sessions)) {
            bench.database().transact("make room for effects", tx -> tx.update("create table effect (job_id uuid)"));
            Engine engine =
                    bench.start(Database.on(sessions), Workbench.SETTINGS, CrashPoints.NONE, workflows::register);
            for (int round = 0; round < ROUNDS; round++) {
                List<JobId> jobs = new ArrayList<>();
                for (String name : SimulatedWorkflows.NAMES) {
                    for (int i = 0; i < AT_ONCE; i++) {
                        jobs.add(bench.submit(engine, name, name + ":" + round + ":" + i));
                    }
                }
                jobs.forEach(job -> bench.signal(engine, job, "go"));
                jobs.forEach(job -> bench.await(engine, job));
            }
        }

        assertThat(indexes.walkedPrimaryKeys()).isEmpty();
    }
}
