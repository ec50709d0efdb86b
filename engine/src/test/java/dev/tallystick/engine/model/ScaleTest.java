package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.run.DueNodeStore;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Submission;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What many jobs in the tables do to one more. Every run counts what is touched, which does not depend on the machine; the
 * campaigns look at the clock as well. {@code -Dtally.scale=} sets how many jobs the campaigns have.
 */
class ScaleTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @RegisterExtension
    static final TestPostgres crowded = Workbench.postgres();

    private static final String GRAPH = "$graph:busy@1";
    private static final int MANY = 50_000;
    private static final int VERY_MANY = Integer.getInteger("tally.scale", 1_000_000);
    private static final int JOBS = 300;

    /** Looks by itself so seldom that what is counted is the work of the jobs. */
    private static final EngineSettings SELDOM = Workbench.SETTINGS.poll(Duration.ofMinutes(1));

    private Workbench workbench;

    @BeforeEach
    void open() {
        workbench = bench(postgres);
    }

    @AfterEach
    void close() {
        workbench.close();
    }

    private static Workbench bench(TestPostgres on) {
        Workbench bench = new Workbench(on.dataSource());
        bench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        bench.workflow("busy", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        return bench;
    }

    @Test
    void closed_jobs_in_the_tables_are_not_touched_by_new_ones() {
        run(postgres, workbench, "warm");
        Touched before = touched(postgres, workbench, "before");
        new Backlog(workbench.database()).closed(MANY);

        Touched after = touched(postgres, workbench, "after");

        System.out.printf(
                "rows touched a job: %.1f without, %.1f with %d closed jobs; buffers %.1f and %.1f%n",
                before.rows(), after.rows(), MANY, before.buffers(), after.buffers());
        assertThat(after.scanned()).as("rows read by scans of whole tables").isZero();
        assertThat(after.rows()).as("rows touched a job").isLessThan(1.2 * before.rows());
    }

    /** What a job touches, on average: rows that were looked up, pages, and, of all jobs together, rows that were scanned. */
    private record Touched(double rows, double buffers, long scanned) {}

    private static Touched touched(TestPostgres on, Workbench bench, String keys) {
        Touched start = counters(bench.database());
        run(on, bench, keys);
        Touched end = counters(bench.database());
        return new Touched(
                (end.rows() - start.rows()) / JOBS,
                (end.buffers() - start.buffers()) / JOBS,
                end.scanned() - start.scanned());
    }

    /** Postings are few, and a scan of few is no harm. */
    private static Touched counters(Database database) {
        return database.transact(
                        "read counters",
                        tx -> tx.first(
                                """
                        select sum(idx_tup_fetch) as rows, sum(seq_tup_read) as scanned,
                            sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read) as buffers
                        from pg_stat_user_tables
                        join pg_statio_user_tables using (relid)
                        where pg_stat_user_tables.relname in ('job', 'activity', 'guid', 'key')
                        """,
                                row -> new Touched(
                                        row.getLong("rows"), row.getLong("buffers"), row.getLong("scanned"))))
                .orElseThrow();
    }

    /** On its own sessions: their counters are complete when they have ended. Returns how long the jobs took. */
    private static long run(TestPostgres on, Workbench bench, String keys) {
        long took = runOnce(on, bench, keys);
        Eventually.holds(
                "the sessions have ended",
                () -> bench.database()
                        .transact("look for sessions", tx -> tx.first("""
                                select 1 as one from pg_stat_activity where application_name = 'counted'
                                """, row -> row.getInt("one")))
                        .isEmpty());
        return took;
    }

    private static long runOnce(TestPostgres on, Workbench bench, String keys) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(on.unpooled());
        config.setConnectionInitSql("set application_name = 'counted'");
        config.setMaximumPoolSize(8);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Engine engine = bench.start(Database.on(pool), SELDOM, CrashPoints.NONE);
            long begun = System.nanoTime();
            for (int i = 0; i < JOBS; i++) {
                bench.await(engine, bench.submit(engine, "one", keys + "-" + i));
            }
            long took = System.nanoTime() - begun;
            engine.close();
            return took;
        }
    }

    @Test
    @Tag("campaign")
    void a_million_closed_jobs_slow_a_new_one_by_a_fifth_at_most() {
        Workbench full = bench(crowded);
        new Backlog(full.database()).closed(VERY_MANY);
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < 12; round++) {
            long without = run(postgres, workbench, "round-" + round);
            long with = run(crowded, full, "round-" + round);
            if (round >= 2) {
                ratios.add((double) with / without);
            }
        }
        full.close();

        double ratio = ratios.stream().sorted().toList().get(ratios.size() / 2);
        System.out.printf("%d closed jobs: a new job takes %.3f of its time, rounds %s%n", VERY_MANY, ratio, ratios);
        assertThat(ratio).isLessThan(1.2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"busy@1", Queues.ENGINE, GRAPH})
    void a_backlog_of_one_mesh_does_not_delay_another_ones_turn(String queue) {
        Backlog backlog = new Backlog(workbench.database());
        backlog.due(MANY, "busy", "busy", queue);
        workbench.database().transact("one more", tx -> tx.update("""
                insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
                select job_id, gen_random_uuid(), 'quiet', queue, priority, now(), '', name from tally.posting limit 1
                """));

        workbench.database().transact("claim", tx -> {
            List<String> meshes = claim(tx, queue);
            assertThat(meshes).hasSize(20).contains("quiet");
            long read = tx.first("""
                            select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as n
                            from pg_stat_xact_user_tables where relname = 'posting'
                            """, row -> row.getLong("n")).orElseThrow();
            assertThat(read).as("postings read for one claim").isLessThan(1_000);
            return null;
        });
    }

    /** The meshes of what is served next, of a queue. */
    private static List<String> claim(Tx tx, String queue) throws SQLException {
        List<Guid> claimed = switch (queue) {
            case Queues.ENGINE ->
                new DuePostingStore()
                        .dueForEngine(tx, 20).stream().map(Lease::guid).toList();
            case GRAPH ->
                new DueNodeStore()
                        .due(tx, Set.of("busy@1"), Duration.ofMinutes(1), 20).stream()
                                .map(due -> due.posting().guid())
                                .toList();
            default ->
                new DuePostingStore()
                        .leaseBodies(tx, Set.of(queue), 20, Duration.ofMinutes(1), "me").stream()
                                .map(body -> body.lease().guid())
                                .toList();
        };
        return tx.query("select mesh from tally.posting where guid = any(?)", row -> row.getString("mesh"), (Object)
                claimed.stream().map(Guid::value).toArray(UUID[]::new));
    }

    @Test
    void a_job_overtakes_the_backlog_of_another_mesh() {
        assertThat(overtake(MANY).closedBefore()).isLessThan(MANY / 10);
    }

    @Test
    @Tag("campaign")
    void a_backlog_of_a_million_jobs_delays_another_meshs_job_by_less_than_a_second() {
        Overtaking[] overtaken = new Overtaking[5];
        Arrays.setAll(overtaken, i -> overtake(VERY_MANY));

        System.out.printf("a backlog of %d jobs: %s%n", VERY_MANY, List.of(overtaken));
        assertThat(overtaken).allMatch(each -> each.took().compareTo(Duration.ofSeconds(1)) < 0);
    }

    /** How long a job took while another mesh had a backlog, and how many jobs of that were done meanwhile. */
    private record Overtaking(Duration took, long closedBefore) {}

    private Overtaking overtake(int backlog) {
        if (workbench.count("job where mesh = 'busy'") == 0) {
            new Backlog(workbench.database()).due(backlog, "busy", "busy", "busy@1");
        }
        long done = closed();
        Engine engine = workbench.start(workbench.database(), SELDOM, CrashPoints.NONE);
        try (Engine submitting = workbench.idle()) {
            Eventually.holds("the engine is at work", () -> closed() > done);
            long before = closed();
            long begun = System.nanoTime();
            byte[] input = "\"\"".getBytes(StandardCharsets.UTF_8);
            Submission quiet = new Submission("quiet", "one", input, null, null, Priority.DEFAULT, Duration.ZERO);
            JobId job = ((Accepted.Fresh) submitting.submit(quiet).join()).job();
            workbench.await(engine, job);
            return new Overtaking(Duration.ofNanos(System.nanoTime() - begun), closed() - before);
        } finally {
            workbench.kill(engine);
        }
    }

    private long closed() {
        return workbench.count("job where mesh = 'busy' and closed_by is not null");
    }
}
