package dev.tallystick.engine.simulation;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.engine.schedule.SimulatedSchedules;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.HeldCommit;
import dev.tallystick.testkit.History;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Signalled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Several engines on one database, each behind a network that loses, delays and holds back some of its commits; engines that crash
 * at a point drawn for them, are killed, cut off past their leases and replaced; connections that fall silent for ever, and sessions
 * that can only read; postings that are delivered a second time while
 * the first delivery is under way; jobs that are submitted more than once, signalled and cancelled.
 */
final class Simulation implements AutoCloseable {

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final EngineSettings SETTINGS =
            EngineSettings.DEFAULT.lease(LEASE, Duration.ofMillis(400)).poll(Duration.ofMillis(200));

    /** Shorter than in production by as much as the lease is. */
    private static final SessionLimits LIMITS = new SessionLimits(LEASE, Duration.ofMillis(500));

    private static final int ENGINES = 3;
    private static final int MOST_OPEN = 60;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
    private static final Duration BETWEEN_FULL_LOOKS = Duration.ofSeconds(5);

    /** Threads that may outlive what they wait for, as a dead process's connections do. */
    private static final Executor ASIDE =
            task -> Thread.ofVirtual().name("simulation").start(task);

    private final TestPostgres postgres;
    private final UnaryOperator<DataSource> sabotage;
    private final Randomness random;
    private final Randomness fates;
    private final Workbench workbench;
    private final SimulatedWorkflows workflows = new SimulatedWorkflows(LEASE.multipliedBy(2));
    private final SimulationChecks checks;
    private final SimulatedSchedules schedules;
    private final List<Node> nodes = new ArrayList<>();
    private final List<CompletableFuture<?>> dying = new ArrayList<>();
    private final Set<HeldCommit> delayed = new HashSet<>();

    private final History<String> history = new History<>();
    private final Map<String, JobId> accepted = new ConcurrentHashMap<>();
    private final Map<JobId, Closed> told = new ConcurrentHashMap<>();
    private final Set<JobId> cancelled = ConcurrentHashMap.newKeySet();
    private final Set<JobId> signalled = ConcurrentHashMap.newKeySet();
    private final List<String> noticed = new CopyOnWriteArrayList<>();
    private final Counts counts = new Counts();

    /** How much has happened. */
    private static final class Counts {
        int submitted;
        int kills;
        int crashes;
        int pauses;
        int cuts;
        int abandoned;
        int readOnly;
        int heldCommits;
        int redeliveries;
    }

    /** An engine, the network that it sees, and where it dies, if it is to. */
    private record Node(
            Engine engine,
            @Nullable Scheduler scheduler,
            TcpProxy proxy,
            HikariDataSource pool,
            FlawedSource source,
            @Nullable CrashAt crash) {

        boolean isDead() {
            return crash != null && crash.hasCrashed();
        }
    }

    Simulation(TestPostgres postgres, UnaryOperator<DataSource> sabotage, Randomness random) {
        this.postgres = postgres;
        this.sabotage = sabotage;
        this.random = random;
        this.fates = random.split();
        this.workbench = new Workbench(postgres.dataSource());
        this.checks = new SimulationChecks(workbench.database());
        this.schedules = new SimulatedSchedules(workbench.database());
        workbench.database().transact("create", tx -> tx.update("create table effect (job uuid)"));
    }

    /** Lets it run for so long, or until something is wrong; then lets the last jobs end, and returns what is wrong. */
    List<String> run(Duration budget, Duration patience) {
        for (int i = 0; i < ENGINES; i++) {
            nodes.add(join(true));
        }
        long begun = System.nanoTime();
        long looked = begun;
        long lookedAtAll = begun;
        for (long now = begun; now - begun < budget.toNanos(); now = System.nanoTime()) {
            happen();
            List<String> wrong = new ArrayList<>(noticed);
            if (now - looked > BETWEEN_LOOKS.toNanos()) {
                looked = now;
                wrong.addAll(checks.wrongAtAnyTime());
            }
            if (now - lookedAtAll > BETWEEN_FULL_LOOKS.toNanos()) {
                lookedAtAll = now;
                wrong.addAll(checks.wrongAmongClosed(10));
                wrong.addAll(schedules.wrong());
            }
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        List.copyOf(nodes).forEach(this::kill);
        noticed.addAll(schedules.wrong());
        nodes.add(join(false));
        return afterwards(patience);
    }

    String summary() {
        return ("%d submissions, %d jobs, %d cancels, %d signals, %d kills, %d crashes, %d pauses, %d cuts, "
                        + "%d times abandoned, %d times read-only, %d held commits, %d redeliveries, seed %d")
                .formatted(
                        counts.submitted,
                        accepted.size(),
                        cancelled.size(),
                        signalled.size(),
                        counts.kills,
                        counts.crashes,
                        counts.pauses,
                        counts.cuts,
                        counts.abandoned,
                        counts.readOnly,
                        counts.heldCommits,
                        counts.redeliveries,
                        random.seed());
    }

    private Node join(boolean lossy) {
        TcpProxy proxy = postgres.proxy();
        HikariConfig config = new HikariConfig();
        FlawedSource source = new FlawedSource(postgres.proxied(proxy));
        config.setDataSource(source);
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(8);
        config.setInitializationFailTimeout(-1);
        HikariDataSource pool = new HikariDataSource(config);
        CrashAt crash = lossy && fates.chance(0.5) ? drawnCrash() : null;
        CrashPoints points = crash == null ? CrashPoints.NONE : crash;
        boolean[] opened = {false};
        CrashPoints onceOpened = point -> {
            if (opened[0]) {
                points.reached(point);
            }
        };
        Database database = Database.on(sabotage.apply(pool), fates.split(), onceOpened, LIMITS);
        opened[0] = true;
        pool.getHikariConfigMXBean().setConnectionTimeout(1000);
        if (lossy) {
            Randomness own = fates.split();
            proxy.onCommit(commit -> own.chance(0.04)
                    ? own.oneOf(CommitFate.LOSE_REPLY, CommitFate.CUT_BEFORE, CommitFate.HOLD)
                    : CommitFate.FORWARD);
        }
        Engine engine =
                workbench.start(database, SETTINGS, points, workflows::register, SimulatedSchedules.wrongClock(fates));
        return new Node(engine, lossy ? schedules.join(database, engine) : null, proxy, pool, source, crash);
    }

    private CrashAt drawnCrash() {
        List<CrashPoint> points = new ArrayList<>(List.of(EngineCrashPoint.values()));
        points.add(SqlCrashPoint.BEFORE_COMMIT);
        points.add(SqlCrashPoint.AFTER_COMMIT);
        return CrashAt.nth(fates.oneOf(points), fates.between(1, 60));
    }

    /** Gone from one moment to the next; what its threads still do, they do on dead connections. */
    private void kill(Node node) {
        nodes.remove(node);
        node.proxy().close();
        dying.removeIf(CompletableFuture::isDone);
        dying.add(CompletableFuture.runAsync(
                () -> {
                    node.pool().close();
                    if (node.scheduler() != null) {
                        node.scheduler().close();
                    }
                    workbench.kill(node.engine());
                },
                ASIDE));
    }

    private void replace(Node node) {
        kill(node);
        nodes.add(join(true));
    }

    /** One thing, drawn by the seed. */
    private void happen() {
        nodes.stream().filter(Node::isDead).findFirst().ifPresent(dead -> {
            counts.crashes++;
            replace(dead);
        });
        Node node = random.oneOf(nodes);
        int draw = random.between(0, 999);
        if (draw < 500) {
            if (open() < MOST_OPEN) {
                String workflow = random.oneOf(SimulatedWorkflows.NAMES);
                submit(node, workflow, workflow + "-" + ++counts.submitted);
            }
        } else if (draw < 850) {
            reach(node);
        } else if (draw < 851) {
            counts.kills++;
            replace(node);
        } else if (draw < 857) {
            mistreat(node);
        } else if (draw < 890) {
            redeliver();
        } else {
            arriveLate();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private void mistreat(Node node) {
        switch (random.between(0, 5)) {
            case 0 -> {
                counts.pauses++;
                node.proxy().blackHole();
                CompletableFuture.delayedExecutor(LEASE.toMillis() * 4 / 3, TimeUnit.MILLISECONDS)
                        .execute(node.proxy()::pass);
            }
            case 1 -> {
                counts.cuts++;
                node.proxy().cut();
            }
            case 2 -> {
                counts.abandoned++;
                node.proxy().abandon();
            }
            case 3 -> {
                counts.readOnly++;
                node.source().makeReadOnly(true);
                node.proxy().cut();
                CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS)
                        .execute(() -> node.source().makeReadOnly(false));
            }
            default -> {
                node.proxy().delay(Duration.ofMillis(random.between(1, 10)));
                CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS).execute(node.proxy()::pass);
            }
        }
    }

    /** Commits that were held back arrive now, after much that was sent later, or never. */
    private void arriveLate() {
        List<HeldCommit> all =
                nodes.stream().flatMap(node -> node.proxy().held().stream()).toList();
        delayed.retainAll(all);
        for (HeldCommit held : all) {
            if (delayed.add(held)) {
                counts.heldCommits++;
                boolean arrives = random.chance(0.7);
                CompletableFuture.delayedExecutor(random.between(1, 400), TimeUnit.MILLISECONDS, ASIDE)
                        .execute(arrives ? held::release : held::drop);
            }
        }
    }

    /** Something that is leased falls due, as if its holder had been silent for too long: another process gets it too. */
    private void redeliver() {
        counts.redeliveries += workbench.database().transact("redeliver", tx -> tx.update("""
                update tally.posting
                set visible_at = now()
                where (job_id, guid) in (
                    select job_id, guid
                    from tally.posting
                    where owner is not null
                    order by job_id, guid
                    offset ?
                    limit 1
                    for update skip locked)
                """, random.between(0, 20)));
    }

    private long open() {
        return workbench.count("job where closed_by is null");
    }

    private void submit(Node node, String workflow, String key) {
        history.invoked(key);
        Engine.Tracked following = node.engine().submitTracked(workbench.submission(workflow, key, "input"));
        CompletableFuture<?> unused = following.accepted().whenComplete((answer, failure) -> note(key, answer));
        unused = following.end().thenAccept(closed -> told.put(closed.job(), closed));
    }

    private void note(String key, @Nullable Accepted answer) {
        switch (answer) {
            case null -> history.unknown(key);
            case Accepted.Fresh fresh -> noteJob(key, fresh.job());
            case Accepted.Duplicate duplicate -> noteJob(key, duplicate.job());
            case Accepted.Reused reused -> noticed.add("the same submission was refused: " + key);
        }
    }

    private void noteJob(String key, JobId job) {
        history.acknowledged(key);
        JobId before = accepted.putIfAbsent(key, job);
        if (before != null && !before.equals(job)) {
            noticed.add("one key, two jobs: " + key);
        }
    }

    /** Does something to a job that was accepted lately: submits it again, signals it, cancels it. */
    private void reach(Node node) {
        int newest = counts.submitted;
        List<String> recent = accepted.keySet().stream()
                .filter(key -> Integer.parseInt(key.substring(key.indexOf('-') + 1)) > newest - 2 * MOST_OPEN)
                .sorted()
                .toList();
        if (recent.isEmpty()) {
            return;
        }
        String key = random.oneOf(recent);
        JobId job = Objects.requireNonNull(accepted.get(key));
        int draw = random.between(0, 99);
        if (draw < 30) {
            submit(node, key.substring(0, key.indexOf('-')), key);
        } else if (draw < 97) {
            CompletableFuture<?> unused = signal(node.engine(), job);
        } else {
            cancelled.add(job);
            ASIDE.execute(() -> cancel(node.engine(), job));
        }
    }

    private static void cancel(Engine engine, JobId job) {
        try {
            engine.cancel("default", job);
        } catch (RuntimeException unknown) {
            // Whether it happened does not matter here: such a job may end either way.
        }
    }

    private CompletableFuture<?> signal(Engine engine, JobId job) {
        return engine.signal("default", job, "go", "sender", "\"it\"".getBytes(StandardCharsets.UTF_8))
                .handle((answer, failure) -> answer instanceof Signalled.Kept && signalled.add(job));
    }

    /** Repeats what callers had no answer to, lets every job end, and looks at what is left. */
    private List<String> afterwards(Duration patience) {
        Engine engine = nodes.getFirst().engine();
        long end = System.nanoTime() + patience.toNanos();
        List<String> wrong;
        do {
            workbench
                    .database()
                    .transact(
                            "open jobs",
                            tx -> tx.query("""
                            select id from tally.job where closed_by is null and workflow = any(?)
                            """, row -> JobId.parse(row.getString("id")), (Object)
                                    SimulatedWorkflows.SIGNALLED.toArray(String[]::new)))
                    .forEach(job -> signal(engine, job).join());
            wrong = new ArrayList<>(checks.wrongAtAnyTime());
            wrong.addAll(checks.stillAskedToEnd());
            wrong.addAll(workbench.violations());
        } while (!wrong.isEmpty() && System.nanoTime() < end);
        wrong.addAll(noticed);
        wrong.addAll(checks.wrongAmongClosed(Integer.MAX_VALUE));
        history.violations(keys()).stream().map(History.Violation::sentence).forEach(wrong::add);
        wrong.addAll(checks.wrongOutcomes(cancelled));
        wrong.addAll(checks.wronglyTold(told));
        wrong.addAll(checks.lostSignals(signalled));
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

    @Override
    public void close() {
        List.copyOf(nodes).forEach(this::kill);
        dying.forEach(CompletableFuture::join);
        workbench.close();
    }
}
