package dev.tallystick.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.JobHandle;
import dev.tallystick.Request;
import dev.tallystick.Submit;
import dev.tallystick.Submitted;
import dev.tallystick.Tallystick;
import dev.tallystick.bench.Contender.Round;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Us. After each round the rows are checked: every job closed, semaphore 0, both ledgers of every activity right. */
final class TallyPeer {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SLEEP = Duration.ofMillis(10);
    private static final int BATCH = 100;
    private static final int BATCHES = 200;

    private static final String WRONG = """
            select count(*)
            from tally.job j
            where j.closed_by is null
                or j.semaphore <> 0
                or j.outcome <> 'completed'
                or exists (
                    select 1
                    from tally.activity a
                    where a.job_id = j.id
                        and a.ledger <> case a.name when '$main' then 1111100000001 else 1111000000001 end
                )
                or exists (
                    select 1
                    from tally.guid g
                    where g.job_id = j.id
                        and (g.ordinal <> 0 or g.ledger <> case g.name when '$main' then 111100000001 else 11000000001 end)
                )
                or (select count(*) from tally.guid g where g.job_id = j.id)
                    <> (select count(*) from tally.activity a where a.job_id = j.id)
            """;

    // Written rows and commits since the server started, as the sessions have reported them by now.
    private static final String WORK = """
            select (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables where schemaname = 'tally'),
                (select xact_commit from pg_stat_database where datname = current_database()),
                pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')
            """;

    /** What runs beside the engine for the length of a round. */
    interface Companion {

        /** Ends it, after everything that the round left has been seen to. */
        void close() throws SQLException;

        Map<String, Double> extras(long items) throws SQLException;
    }

    /** Opens what runs beside the engine, on its database. */
    @FunctionalInterface
    interface Companionship {
        Companion open(DataSource database) throws SQLException;
    }

    private static final Companion NONE = new Companion() {
        @Override
        public void close() {}

        @Override
        public Map<String, Double> extras(long items) {
            return Map.of();
        }
    };

    private final DataSource database;
    private final Companionship companionship;
    private final AtomicLong sequence = new AtomicLong();

    TallyPeer(DataSource database) {
        this(database, none -> NONE);
    }

    TallyPeer(DataSource database, Companionship companionship) {
        this.database = database;
        this.companionship = companionship;
    }

    /** Submit, run, and wait for the result. */
    Contender workflow(int steps, int callers) {
        return new Contender("tally.%dstep.c%d".formatted(steps, callers), callers, number -> new Running() {
            @Override
            public int call(int caller) throws InterruptedException {
                JobHandle<String> job = tally.submit("steps" + steps, "x", key());
                job.result(PATIENCE);
                return 1;
            }
        });
    }

    /** Submit in batches of 100, and wait until all are done. The body is the job; its result is recorded. */
    Contender batch(String name) {
        return new Contender(name, 1, number -> new Running() {
            @Override
            public int call(int caller) throws InterruptedException {
                List<List<Submitted<String>>> submitted = new ArrayList<>();
                for (int i = 0; i < BATCHES; i++) {
                    List<Request> requests = new ArrayList<>();
                    for (int k = 0; k < BATCH; k++) {
                        requests.add(key().with("x"));
                    }
                    submitted.add(tally.submitAll("steps0", requests));
                }
                for (List<Submitted<String>> batch : submitted) {
                    for (Submitted<String> each : batch) {
                        each.job().result(PATIENCE);
                    }
                }
                return BATCH * BATCHES;
            }
        });
    }

    /** A lone job sleeps for 10 ms: how much later than that it continues. */
    Contender timers() {
        return new Contender("timer.late", 1, number -> new Running() {

            private final Map<String, Long> asleep = new ConcurrentHashMap<>();
            private final List<Double> late = Collections.synchronizedList(new ArrayList<>());

            {
                tally.register("sleep", String.class, String.class, (ctx, input) -> {
                    asleep.putIfAbsent(input, System.nanoTime());
                    ctx.sleep(SLEEP);
                    long asked = asleep.getOrDefault(input, 0L);
                    late.add((System.nanoTime() - asked - SLEEP.toNanos()) / 1e6);
                    return input;
                });
            }

            @Override
            public int call(int caller) throws InterruptedException {
                String name = "sleep:" + sequence.incrementAndGet();
                JobHandle<String> job = tally.submit("sleep", name, key());
                job.result(PATIENCE);
                return 1;
            }

            @Override
            public Map<String, Double> extras(long items) {
                List<Double> sorted = late.stream().sorted().toList();
                return Map.of(
                        "late_p50_ms",
                        sorted.get(sorted.size() / 2),
                        "late_p99_ms",
                        sorted.get(sorted.size() * 99 / 100));
            }
        });
    }

    private Submit key() {
        return Submit.key("tally:" + sequence.incrementAndGet());
    }

    private abstract class Running implements Round {

        private final CountedStatements statements = new CountedStatements();
        private final HikariDataSource pool = pool(statements.on(database));
        final Tallystick tally = Tallystick.builder().dataSource(pool).build();
        private final long[] before;
        private final long preparedBefore;
        private final Companion companion;

        Running() throws SQLException {
            tally.register("steps0", String.class, String.class, (ctx, input) -> input);
            tally.register(
                    "steps1", String.class, String.class, (ctx, input) -> ctx.step("one", String.class, () -> input));
            tally.register("steps3", String.class, String.class, (ctx, input) -> {
                String one = ctx.step("one", String.class, () -> input);
                String two = ctx.step("two", String.class, () -> one);
                return ctx.step("three", String.class, () -> two);
            });
            tally.start();
            companion = companionship.open(database);
            before = work();
            preparedBefore = statements.count();
        }

        @Override
        public void close() throws SQLException {
            tally.close();
            pool.close();
            companion.close();
            long wrong = Setup.numbers(database, WRONG, 1)[0];
            if (wrong > 0) {
                throw new IllegalStateException(wrong + " jobs are not closed as they should be");
            }
        }

        @Override
        public Map<String, Double> extras(long items) throws SQLException {
            long[] after = work();
            Map<String, Double> extras = new LinkedHashMap<>();
            extras.put("row_writes_per_job", (after[0] - before[0]) / (double) items);
            long commits = after[1] - before[1];
            extras.put("commits_per_job", commits / (double) items);
            extras.put("statements_per_batch", (statements.count() - preparedBefore) / (double) commits);
            extras.put("wal_bytes_per_job", (after[2] - before[2]) / (double) items);
            extras.putAll(companion.extras(items));
            return extras;
        }
    }

    private static HikariDataSource pool(DataSource counted) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(counted);
        config.setMaximumPoolSize(16);
        return new HikariDataSource(config);
    }

    private long[] work() throws SQLException {
        return Setup.numbers(database, WORK, 3);
    }
}
