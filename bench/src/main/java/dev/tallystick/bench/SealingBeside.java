package dev.tallystick.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.seal.SealSettings;
import dev.tallystick.engine.seal.Sealer;
import dev.tallystick.sql.Database;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Seals beside the engine as a server does, but with a thread and a database session of its own, whose processor times can be
 * read. At the end it seals what is left, outside the measured time.
 */
final class SealingBeside implements TallyPeer.Companion {

    static final String ORIGIN = "bench.example/log";

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration LONGEST_REST = Duration.ofMinutes(10);

    private static final String ROWS = """
            select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)
            from pg_stat_user_tables
            where schemaname = 'tally'
                and relname in ('seal_queue', 'seal_intent', 'seal_log', 'sealed_job', 'sealed_member', 'log_tile')
            """;

    private static final String LEFT = "select count(*) from tally.seal_queue";

    private final DataSource database;
    private final HikariDataSource session;
    private final long backend;
    private final Sealer sealer;
    private final SealSettings settings;
    private final CountDownLatch ending = new CountDownLatch(1);
    private final Thread sealing;
    private final Thread watching;
    private final long rowsBefore;
    private final long bytesBefore;
    private volatile double processorSeconds;
    private volatile double sessionSeconds;
    private volatile Duration lag = Duration.ZERO;

    SealingBeside(DataSource database, Path directory) throws SQLException {
        this.database = database;
        this.settings = SealSettings.in(directory);
        this.session = single(database);
        this.backend = Setup.numbers(session, "select pg_backend_pid()", 1)[0];
        this.sealer = Sealer.open(Database.on(session), settings, ORIGIN, CrashPoints.NONE);
        this.rowsBefore = Setup.numbers(database, ROWS, 1)[0];
        this.bytesBefore = bytes(settings.log());
        this.sealing = Thread.ofPlatform().name("sealing").start(this::seal);
        this.watching = Thread.ofPlatform().name("watching").start(this::watch);
    }

    static HikariDataSource single(DataSource database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    private void seal() {
        double began = ownSeconds();
        double sessionBegan = secondsOf(backend);
        while (!ends(settings.interval())) {
            sealer.seal();
        }
        sealer.seal();
        processorSeconds = ownSeconds() - began;
        sessionSeconds = secondsOf(backend) - sessionBegan;
    }

    private void watch() {
        while (!ends(LOOK)) {
            Duration now = sealer.backlog().lag();
            lag = now.compareTo(lag) > 0 ? now : lag;
        }
    }

    private boolean ends(Duration within) {
        try {
            return ending.await(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static double ownSeconds() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
    }

    /** The processor time of a process, as Linux counts it in hundredths of a second; 0 elsewhere. */
    private static double secondsOf(long process) {
        Path file = Path.of("/proc", Long.toString(process), "stat");
        if (!Files.isReadable(file)) {
            return 0;
        }
        try {
            String line = Files.readString(file);
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws SQLException {
        ending.countDown();
        try {
            sealing.join(LONGEST_REST);
            watching.join(LONGEST_REST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String alarm = sealer.backlog().alarm();
        sealer.close();
        session.close();
        long left = Setup.numbers(database, LEFT, 1)[0];
        if (alarm != null || left > 0) {
            throw new IllegalStateException(left + " commits are not sealed, alarm: " + alarm);
        }
    }

    @Override
    public Map<String, Double> extras(long items) throws SQLException {
        Map<String, Double> extras = new LinkedHashMap<>();
        extras.put("lag_max_s", lag.toMillis() / 1e3);
        extras.put("sealer_cpu_us_per_job", processorSeconds * 1e6 / items);
        extras.put("sealer_session_cpu_us_per_job", sessionSeconds * 1e6 / items);
        extras.put("seal_rows_per_job", (Setup.numbers(database, ROWS, 1)[0] - rowsBefore) / (double) items);
        extras.put("log_bytes_per_job", (bytes(settings.log()) - bytesBefore) / (double) items);
        return extras;
    }

    static long bytes(Path directory) {
        if (!Files.isDirectory(directory)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
