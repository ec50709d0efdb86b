package dev.tallystick.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.bench.Contender.Round;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;

/** JobRunr: enqueued as a stream, run by 32 workers. Its smallest poll interval is 5 s, so one call is many jobs. */
final class JobRunrPeer {

    private static final int JOBS = 15_000;
    private static final int WORKERS = 32;
    private static final int POOL = 64;

    /** The latch of the call under way. JobRunr serialises what it calls, so it must be reached from a static. */
    private static final AtomicReference<CountDownLatch> LEFT = new AtomicReference<>(new CountDownLatch(0));

    /** What JobRunr calls. */
    public static final class Service {
        public void run(String id) {
            LEFT.get().countDown();
        }
    }

    private final DataSource database;

    JobRunrPeer(DataSource database) {
        this.database = database;
    }

    Contender batch() {
        return new Contender("jobrunr.batch", 1, callers -> new Running());
    }

    private final class Running implements Round {

        private final HikariDataSource pool;
        private final JobScheduler scheduler;

        Running() {
            HikariConfig config = new HikariConfig();
            config.setDataSource(database);
            config.setMaximumPoolSize(POOL);
            pool = new HikariDataSource(config);
            scheduler = JobRunr.configure()
                    .useJobActivator(activator())
                    .useStorageProvider(new PostgresStorageProvider(pool))
                    .useBackgroundJobServer(
                            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                                    .andPollInterval(Duration.ofSeconds(5))
                                    .andWorkerCount(WORKERS))
                    .initialize()
                    .getJobScheduler();
        }

        @Override
        public int call(int caller) throws InterruptedException {
            CountDownLatch all = new CountDownLatch(JOBS);
            LEFT.set(all);
            scheduler.<Service, String>enqueue(
                    IntStream.range(0, JOBS).mapToObj(Integer::toString), (service, id) -> service.run(id));
            all.await();
            return JOBS;
        }

        @Override
        public void close() {
            JobRunr.destroy();
            pool.close();
        }
    }

    private static JobActivator activator() {
        Service service = new Service();
        return new JobActivator() {
            @Override
            public <T> T activateJob(Class<T> type) {
                return type.cast(service);
            }
        };
    }
}
