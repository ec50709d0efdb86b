package dev.tallystick.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.bench.Contender.Round;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** db-scheduler: one-time tasks inserted in batches of 100, taken by lock-and-fetch with 32 threads, its fastest mode. */
final class DbSchedulerPeer {

    private static final int BATCH = 100;
    private static final int BATCHES = 200;
    private static final int THREADS = 32;
    private static final int POOL = 64;

    private static final List<String> SCHEMA = List.of(
            """
            create table if not exists scheduled_tasks (
                task_name            text        not null,
                task_instance        text        not null,
                task_data            bytea,
                execution_time       timestamptz not null,
                picked               boolean     not null,
                picked_by            text,
                last_success         timestamptz,
                last_failure         timestamptz,
                consecutive_failures int,
                last_heartbeat       timestamptz,
                version              bigint      not null,
                priority             smallint,
                primary key (task_name, task_instance)
            )
            """,
            "create index if not exists scheduled_due on scheduled_tasks (execution_time)",
            "create index if not exists scheduled_alive on scheduled_tasks (last_heartbeat)",
            "create index if not exists scheduled_urgent on scheduled_tasks (priority desc, execution_time asc)");

    private final DataSource database;
    private final AtomicLong sequence = new AtomicLong();

    DbSchedulerPeer(DataSource database) {
        this.database = database;
    }

    Contender batch() {
        return new Contender("dbscheduler.batch100", 1, callers -> new Running());
    }

    private final class Running implements Round {

        private final AtomicReference<CountDownLatch> left = new AtomicReference<>(new CountDownLatch(0));
        private final OneTimeTask<Void> task;
        private final HikariDataSource pool;
        private final Scheduler scheduler;

        Running() throws SQLException {
            Setup.run(database, SCHEMA);
            HikariConfig config = new HikariConfig();
            config.setDataSource(database);
            config.setMaximumPoolSize(POOL);
            pool = new HikariDataSource(config);
            task = Tasks.oneTime("task")
                    .execute((instance, context) -> left.get().countDown());
            scheduler = Scheduler.create(pool, task)
                    .threads(THREADS)
                    .pollingInterval(Duration.ofMillis(100))
                    .pollUsingLockAndFetch(4.0, 20.0)
                    .build();
            scheduler.start();
        }

        @Override
        public int call(int caller) throws InterruptedException {
            CountDownLatch all = new CountDownLatch(BATCH * BATCHES);
            left.set(all);
            for (int i = 0; i < BATCHES; i++) {
                List<TaskInstance<?>> instances = new ArrayList<>();
                for (int k = 0; k < BATCH; k++) {
                    instances.add(task.instance("task:" + sequence.incrementAndGet()));
                }
                scheduler.scheduleBatch(instances, Clock.systemUTC().instant());
            }
            all.await();
            return BATCH * BATCHES;
        }

        @Override
        public void close() {
            scheduler.stop();
            pool.close();
        }
    }
}
