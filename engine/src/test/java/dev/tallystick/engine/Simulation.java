package dev.tallystick.engine;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.History;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Several engines on one database, each behind a network that loses some of its commits; engines that are killed, cut off past
 * their leases and replaced; jobs that are submitted more than once, signalled and cancelled. Every step brings something that no
 * other run of it brings, so whoever goes on with a result that is not the recorded one can be told from the job's own result.
 */
final class Simulation implements AutoCloseable {

    private static final EngineSettings SETTINGS = EngineSettings.DEFAULT
            .lease(Duration.ofMillis(1500), Duration.ofMillis(400))
            .poll(Duration.ofMillis(200));

    private static final List<String> WORKFLOWS =
            List.of("steps", "fork", "either", "sleepy", "signalled", "parent", "paying");

    private static final int ENGINES = 3;
    private static final int MOST_OPEN = 60;

    private final TestPostgres postgres;
    private final UnaryOperator<DataSource> sabotage;
    private final Randomness random;
    private final Randomness fates;
    private final Workbench workbench;
    private final AtomicLong tokens = new AtomicLong();
    private final List<Node> nodes = new ArrayList<>();
    private final History<String> history = new History<>();
    private final Map<String, JobId> accepted = new ConcurrentHashMap<>();
    private final Set<JobId> cancelled = ConcurrentHashMap.newKeySet();
    private int submitted;
    private int kills;
    private int pauses;

    /** An engine and the network that it sees. */
    private record Node(Engine engine, TcpProxy proxy, HikariDataSource pool) {}

    Simulation(TestPostgres postgres, UnaryOperator<DataSource> sabotage, Randomness random) {
        this.postgres = postgres;
        this.sabotage = sabotage;
        this.random = random;
        this.fates = random.split();
        this.workbench = new Workbench(postgres.dataSource());
        workbench.database().transact("create", tx -> tx.update("create table effect (job uuid)"));
        registerWorkflows();
    }

    /** Lets it run for so long, or until something is wrong; then lets the last jobs end, and returns what is wrong. */
    List<String> run(Duration budget, Duration patience) {
        for (int i = 0; i < ENGINES; i++) {
            nodes.add(join(true));
        }
        long end = System.nanoTime() + budget.toNanos();
        while (System.nanoTime() < end) {
            happen();
            List<String> wrong = wrongAtAnyTime();
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        nodes.forEach(node -> node.proxy().pass());
        while (!nodes.isEmpty()) {
            kill(nodes.getFirst());
        }
        nodes.add(join(false));
        return afterwards(patience);
    }

    String summary() {
        return "%d submissions, %d jobs, %d cancels, %d kills, %d pauses, seed %d"
                .formatted(submitted, accepted.size(), cancelled.size(), kills, pauses, random.seed());
    }

    private void registerWorkflows() {
        workbench.workflow("steps", (ctx, input) -> token(ctx, "one") + token(ctx, "two") + token(ctx, "three"));
        workbench.workflow("fork", (ctx, input) -> {
            List<String> both = ctx.all(String.class, List.of(a -> token(a, "left"), b -> token(b, "right")));
            ctx.sleep(Duration.ofMillis(100));
            return String.join("", both) + token(ctx, "after");
        });
        workbench.workflow("either", (ctx, input) -> {
            String first = ctx.any(String.class, List.of(a -> a.await("go", String.class), b -> {
                b.sleep(Duration.ofMillis(300));
                return "slept";
            }));
            ctx.step("noted", String.class, () -> first);
            return token(ctx, "after");
        });
        workbench.workflow("sleepy", (ctx, input) -> {
            String before = token(ctx, "before");
            ctx.sleep(Duration.ofMillis(50));
            return before + token(ctx, "after");
        });
        workbench.workflow("signalled", (ctx, input) -> {
            ctx.await("go", String.class);
            return token(ctx, "after");
        });
        workbench.workflow("child", (ctx, input) -> token(ctx, "work"));
        workbench.workflow("parent", (ctx, input) -> {
            ctx.child("child", "", String.class);
            return token(ctx, "after");
        });
        workbench.workflow("paying", (ctx, input) -> {
            String before = token(ctx, "before");
            ctx.transaction("pay", String.class, connection -> {
                try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?)")) {
                    insert.setObject(1, ctx.job().value());
                    insert.executeUpdate();
                }
                return "";
            });
            return before + token(ctx, "after");
        });
    }

    private String token(Context ctx, String name) {
        return ctx.step(name, String.class, () -> "[" + name + tokens.incrementAndGet() + "]");
    }

    private Node join(boolean lossy) {
        TcpProxy proxy = postgres.proxy();
        HikariConfig config = new HikariConfig();
        config.setDataSource(postgres.proxied(proxy));
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(8);
        config.setInitializationFailTimeout(-1);
        HikariDataSource pool = new HikariDataSource(config);
        Database database = Database.on(sabotage.apply(pool));
        pool.getHikariConfigMXBean().setConnectionTimeout(1000);
        if (lossy) {
            Randomness own = fates.split();
            proxy.onCommit(commit ->
                    own.chance(0.04) ? own.oneOf(CommitFate.LOSE_REPLY, CommitFate.CUT_BEFORE) : CommitFate.FORWARD);
        }
        Engine engine = workbench.start(database, SETTINGS, CrashPoints.NONE);
        return new Node(engine, proxy, pool);
    }

    private void kill(Node node) {
        nodes.remove(node);
        node.proxy().close();
        workbench.kill(node.engine());
        node.pool().close();
    }

    /** One thing, drawn by the seed. */
    private void happen() {
        Node node = random.oneOf(nodes);
        int draw = random.between(0, 99);
        if (draw < 60 && open() < MOST_OPEN) {
            String workflow = random.oneOf(WORKFLOWS);
            submit(node, workflow, workflow + "-" + ++submitted);
        } else if (draw < 85) {
            reach(node);
        } else if (draw < 88) {
            kills++;
            kill(node);
            nodes.add(join(true));
        } else if (draw < 90) {
            pauses++;
            node.proxy().blackHole();
            CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS).execute(node.proxy()::pass);
        } else if (draw < 93) {
            node.proxy().cut();
        }
    }

    private long open() {
        return workbench.count("job where closed_by is null");
    }

    private void submit(Node node, String workflow, String key) {
        history.invoked(key);
        var unused = node.engine()
                .submit(workbench.submission(workflow, key, "input"))
                .whenComplete((answer, failure) -> note(key, answer, failure));
    }

    private void note(String key, Accepted answer, Throwable failure) {
        if (failure != null) {
            history.unknown(key);
            return;
        }
        history.acknowledged(key);
        JobId job = switch (answer) {
            case Accepted.Fresh fresh -> fresh.job();
            case Accepted.Duplicate duplicate -> duplicate.job();
            case Accepted.Reused reused -> throw new AssertionError(reused);
        };
        JobId before = accepted.putIfAbsent(key, job);
        if (before != null && !before.equals(job)) {
            throw new AssertionError("one key, two jobs: " + key);
        }
    }

    /** Does something to a job that was accepted: submits it again, signals it, cancels it. */
    private void reach(Node node) {
        if (accepted.isEmpty()) {
            return;
        }
        String key = random.oneOf(accepted.keySet().stream().sorted().toList());
        JobId job = Objects.requireNonNull(accepted.get(key));
        int draw = random.between(0, 99);
        if (draw < 30) {
            submit(node, key.substring(0, key.indexOf('-')), key);
        } else if (draw < 95) {
            var unused = signal(node.engine(), job);
        } else {
            cancelled.add(job);
            Thread.ofVirtual().start(() -> {
                try {
                    node.engine().cancel(job);
                } catch (RuntimeException unknown) {
                    // Whether it happened is nobody's business here: such a job may end either way.
                }
            });
        }
    }

    private static CompletableFuture<Signalled> signal(Engine engine, JobId job) {
        return engine.signal(job, "go", "sender", "\"it\"".getBytes(StandardCharsets.UTF_8));
    }

    /** What must hold of every committed state. */
    List<String> wrongAtAnyTime() {
        return workbench.database().transact("check", tx -> tx.query("""
                select 'recorded and still posted: ' || p.job_id || ' ' || p.path || ' ' || p.name as violation
                    from tally.posting p
                    join tally.guid g on g.job_id = p.job_id and g.guid = p.guid
                    where (g.ledger / 10000000000) % 10 = 1
                union all
                select 'semaphore ' || j.semaphore || ' with ' || count(a.path) || ' branches open: ' || j.id
                    from tally.job j
                    left join tally.activity a
                        on a.job_id = j.id and a.kind = 'branch' and (a.ledger / 10000000000) % 10 = 0
                    where j.closed_by is null
                    group by j.id, j.semaphore
                    having j.semaphore <> 1 + count(a.path)
                union all
                select 'a result that is not the recorded one: ' || id || ' ' || told || ' ' || made
                    from (select j.id, convert_from(j.output, 'UTF8') as told,
                            '"' || string_agg(trim(both '"' from convert_from(a.output, 'UTF8')), ''
                                order by a.path collate "C") || '"' as made
                        from tally.job j
                        join tally.activity a on a.job_id = j.id and convert_from(a.output, 'UTF8') like '"[%'
                            and a.kind = 'step'
                        where j.outcome = 'completed'
                        group by j.id, j.output) as results
                    where told <> made
                union all
                select 'one effect, ' || count(*) || ' times: ' || job from effect group by job having count(*) > 1
                union all
                select 'failed: ' || id || ' ' || error from tally.job where outcome = 'failed'
                """, row -> row.getString("violation")));
    }

    /** Repeats what callers had no answer to, lets every job end, and looks at what is left. */
    private List<String> afterwards(Duration patience) {
        Engine engine = nodes.getFirst().engine();
        long end = System.nanoTime() + patience.toNanos();
        List<String> wrong;
        do {
            workbench
                    .database()
                    .transact("open jobs", tx -> tx.query("""
                            select id from tally.job where closed_by is null and workflow = 'signalled'
                            """, row -> JobId.parse(row.getString("id"))))
                    .forEach(job -> signal(engine, job).join());
            wrong = new ArrayList<>(wrongAtAnyTime());
            wrong.addAll(workbench.violations());
        } while (!wrong.isEmpty() && System.nanoTime() < end);
        history.violations(keys()).stream().map(History.Violation::sentence).forEach(wrong::add);
        wrong.addAll(wrongOutcomes());
        return wrong;
    }

    /** The keys for which there are jobs, each as often as there are. */
    private List<String> keys() {
        Map<JobId, String> byJob = new ConcurrentHashMap<>();
        accepted.forEach((key, job) -> byJob.put(job, key));
        return workbench
                .database()
                .transact("jobs", tx -> tx.query("""
                select id from tally.job where parent_job is null
                """, row -> JobId.parse(row.getString("id"))))
                .stream()
                .filter(byJob::containsKey)
                .map(byJob::get)
                .toList();
    }

    private List<String> wrongOutcomes() {
        return workbench
                .database()
                .transact(
                        "outcomes",
                        tx -> tx.query("""
                        select id, outcome, workflow, (select count(*) from effect where job = id) as effects
                        from tally.job where parent_job is null
                        """, row -> {
                            JobId job = JobId.parse(row.getString("id"));
                            String outcome = row.getString("outcome");
                            boolean paid = row.getInt("effects") == 1;
                            boolean right = "completed".equals(outcome)
                                    ? paid == row.getString("workflow").equals("paying")
                                    : "cancelled".equals(outcome) && cancelled.contains(job);
                            return right ? "" : "job " + job + " of " + row.getString("workflow") + " ended " + outcome;
                        }))
                .stream()
                .filter(line -> !line.isEmpty())
                .toList();
    }

    @Override
    public void close() {
        List.copyOf(nodes).forEach(this::kill);
        workbench.close();
    }
}
