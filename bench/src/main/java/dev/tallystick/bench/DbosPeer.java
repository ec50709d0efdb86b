package dev.tallystick.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.tallystick.bench.Contender.Round;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** DBOS Transact: a workflow under an id of its own, started and waited for in one process. */
final class DbosPeer {

    /** What DBOS wraps in a proxy. */
    public interface Steps {
        String one(String input);

        String three(String input);
    }

    /** The workflows, as DBOS wants them. */
    public static final class StepWorkflows implements Steps {

        private final DBOS dbos;

        StepWorkflows(DBOS dbos) {
            this.dbos = dbos;
        }

        @Override
        @Workflow(name = "one")
        public String one(String input) {
            return dbos.runStep(() -> input, "one");
        }

        @Override
        @Workflow(name = "three")
        public String three(String input) {
            String one = dbos.runStep(() -> input, "one");
            String two = dbos.runStep(() -> one, "two");
            return dbos.runStep(() -> two, "three");
        }
    }

    private static final int POOL = 32;

    private final DataSource database;
    private final AtomicLong sequence = new AtomicLong();

    DbosPeer(DataSource database) {
        this.database = database;
    }

    Contender workflow(int steps, int callers) {
        return new Contender("dbos.%dstep.c%d".formatted(steps, callers), callers, number -> new Running(steps));
    }

    private final class Running implements Round {

        private final int steps;
        private final HikariDataSource pool;
        private final DBOS dbos;
        private final Steps workflows;

        Running(int steps) {
            this.steps = steps;
            HikariConfig config = new HikariConfig();
            config.setDataSource(database);
            config.setMaximumPoolSize(POOL);
            pool = new HikariDataSource(config);
            dbos = new DBOS(DBOSConfig.defaults("bench").withDataSource(pool).withAppVersion("v1"));
            workflows = dbos.registerProxy(Steps.class, new StepWorkflows(dbos));
            dbos.launch();
        }

        @Override
        public int call(int caller) throws Exception {
            StartWorkflowOptions options = new StartWorkflowOptions("dbos-" + sequence.incrementAndGet());
            var handle = steps == 1
                    ? dbos.startWorkflow(() -> workflows.one("x"), options)
                    : dbos.startWorkflow(() -> workflows.three("x"), options);
            handle.getResult();
            return 1;
        }

        @Override
        public void close() {
            dbos.shutdown();
            pool.close();
        }
    }
}
