package dev.tallystick.engine;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.keys.KeySchema;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.Workflow;
import dev.tallystick.workflow.WorkflowType;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Engines on one database, as many as a test wants, and what they leave in it. As an extension it closes itself after a test. */
public final class Workbench implements AutoCloseable, AfterEachCallback {

    public static final EngineSettings SETTINGS = EngineSettings.DEFAULT
            .lease(Duration.ofSeconds(2), Duration.ofMillis(500))
            .poll(Duration.ofMillis(50))
            .drain(Duration.ZERO);

    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Database database;
    private final Duration ageOfIds;
    private final List<Engine> engines = new CopyOnWriteArrayList<>();
    private final List<WorkflowType<?, ?>> types = new ArrayList<>();
    private final Codec codec;

    public Workbench(DataSource source) {
        this(source, new JsonCodec());
    }

    public Workbench(DataSource source, Codec codec) {
        this(source, codec, Duration.ZERO);
    }

    private Workbench(DataSource source, Codec codec, Duration ageOfIds) {
        this.database = Database.on(source);
        this.codec = codec;
        this.ageOfIds = ageOfIds;
    }

    /** A workbench whose jobs have ids as if they had been made ten years ago; nothing but their ids is that old. */
    public static Workbench withOldIds(DataSource source) {
        return new Workbench(source, new JsonCodec(), Duration.ofDays(3_650));
    }

    /** A database with the engine's tables for each test. */
    public static TestPostgres postgres() {
        return TestPostgres.perTest().prepared("engine", source -> migrate(Database.on(source)));
    }

    static void migrate(Database database) {
        KeySchema.migrations().migrate(database);
        EngineSchema.MIGRATIONS.migrate(database);
    }

    /** Every engine started from now on knows this workflow. */
    public void workflow(String name, Workflow<String, String> body) {
        types.add(WorkflowType.of(name, String.class, String.class, body));
    }

    public Engine start() {
        return start(CrashPoints.NONE);
    }

    public Engine start(CrashPoints crashPoints) {
        return start(database, SETTINGS, crashPoints);
    }

    public Engine start(Database on, EngineSettings settings, CrashPoints crashPoints) {
        return start(on, settings, crashPoints, types);
    }

    /** An engine that knows these workflows only. */
    public Engine start(
            Database on, EngineSettings settings, CrashPoints crashPoints, List<? extends WorkflowType<?, ?>> known) {
        return start(on, settings, crashPoints, engine -> known.forEach(engine::register));
    }

    public Engine start(Database on, EngineSettings settings, CrashPoints crashPoints, Consumer<Engine> registrations) {
        return start(on, settings, crashPoints, registrations, Clock.systemUTC());
    }

    /**
     * Starts an engine.
     *
     * @param clock of the host of this process, which may be wrong
     */
    public Engine start(
            Database on,
            EngineSettings settings,
            CrashPoints crashPoints,
            Consumer<Engine> registrations,
            InstantSource clock) {
        Engine engine = engine(on, settings, crashPoints, clock);
        registrations.accept(engine);
        engines.add(engine);
        engine.start();
        return engine;
    }

    /** Makes the workflows of this bench known to an engine. */
    public void registerAll(Engine engine) {
        types.forEach(engine::register);
    }

    /** An engine that accepts jobs for others to run; the test closes it. */
    public Engine idle() {
        return idle(database);
    }

    public Engine idle(Database on) {
        Engine engine = engine(on, SETTINGS, CrashPoints.NONE, Clock.systemUTC());
        types.forEach(engine::register);
        return engine;
    }

    private Engine engine(Database on, EngineSettings settings, CrashPoints crashPoints, InstantSource clock) {
        return new Engine(
                on,
                new AcceptKeys(KeyRetention.DEFAULT),
                codec,
                new Ids(InstantSource.offset(clock, ageOfIds.negated()), new SplittableRandom()),
                clock,
                RandomGenerator.getDefault(),
                settings,
                crashPoints);
    }

    /** As {@code kill -9} does. */
    public void kill(Engine engine) {
        engine.abandon();
        engines.remove(engine);
    }

    public JobId submit(Engine engine, String workflow, String key) {
        return submit(engine, submission(workflow, key, "input"));
    }

    public JobId submit(Engine engine, Submission submission) {
        return switch (engine.submit(submission).join()) {
            case Accepted.Fresh fresh -> fresh.job();
            case Accepted.Duplicate duplicate -> duplicate.job();
            case Accepted.Reused reused -> throw new AssertionError(reused);
        };
    }

    public Accepted accept(Engine engine, String workflow, String key) {
        return engine.submit(submission(workflow, key, "input")).join();
    }

    public Submission submission(String workflow, String key, String input) {
        Fingerprint fingerprint = Fingerprint.of(Envelope.ofJob(workflow, new Json.StringValue(input)));
        return new Submission(
                "default",
                workflow,
                codec.encode(input),
                ScopedKey.of(key),
                fingerprint,
                Priority.DEFAULT,
                Duration.ZERO);
    }

    /** Submits, waits for the end, and returns the result. */
    @Nullable
    public String run(Engine engine, String workflow) {
        Closed closed = await(engine, submit(engine, workflow, workflow + "-key"));
        if (closed.outcome() != JobOutcome.COMPLETED) {
            throw new AssertionError("the job ended " + closed.outcome() + ": " + closed.error());
        }
        return result(closed);
    }

    public Closed await(Engine engine, JobId job) {
        try {
            return engine.await(job, PATIENCE)
                    .orElseThrow(() -> new AssertionError(
                            "job " + job + " is still open after " + PATIENCE + "\n" + String.join("\n", dump())));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Nullable
    public String result(Closed closed) {
        byte[] output = closed.output();
        return output == null ? null : codec.<@Nullable String>decode(output, String.class);
    }

    public Signalled signal(Engine engine, JobId job, String name) {
        return engine.signal("default", job, name, name + "-key", codec.encode("payload"))
                .join();
    }

    /** Waits until the one job there is has nothing to do here, so that what wakes it makes it run from the top. */
    public void awaitParked() {
        Eventually.holds(
                "the body is parked",
                () -> database.transact("parked", tx -> tx.first("""
                                select count(*) as n from tally.posting where name = '$main' and visible_at = 'infinity'
                                """, row -> row.getInt("n")))
                                .orElseThrow()
                        == 1);
    }

    public Database database() {
        return database;
    }

    /** The ledger of each activity of a job as people read it, by place and name. */
    public List<String> activities(JobId job) {
        return database.transact("activities", tx -> tx.query("""
                select path || ' ' || name || ' ' || lpad(ledger::text, 15, '0') as line
                from tally.activity
                where job_id = ?
                order by path, name
                """, row -> row.getString("line"), job.value()));
    }

    /** Path and name of each activity of a job. */
    public List<String> places(JobId job) {
        return database.transact("places", tx -> tx.query("""
                select path || ' ' || name as place
                from tally.activity
                where job_id = ?
                order by path collate "C", name collate "C"
                """, row -> row.getString("place"), job.value()));
    }

    /** Path, name and markers of each activity of a job: Leg 1 complete, work done, children spawned, completion done. */
    public List<String> marks(JobId job) {
        return database.transact("marks", tx -> tx.query("""
                select path || ' ' || name || ' ' || substr(lpad(ledger::text, 15, '0'), 4, 4) as line
                from tally.activity
                where job_id = ?
                """, row -> row.getString("line"), job.value()));
    }

    /** How those ended that the job began, each from an activity of it that there is. */
    public List<String> childrenOf(JobId job) {
        return database.transact("children", tx -> tx.query("""
                select coalesce(c.outcome, 'open') as outcome
                from tally.job c
                join tally.activity a on a.job_id = c.parent_job and a.path = c.parent_path and a.name = c.parent_name
                where c.parent_job = ?
                """, row -> row.getString("outcome"), job.value()));
    }

    public List<String> guids(JobId job) {
        return database.transact("guids", tx -> tx.query("""
                select path || ' ' || name || ' ' || lpad(ledger::text, 15, '0') || ' #' || ordinal as line
                from tally.guid
                where job_id = ?
                order by path, name
                """, row -> row.getString("line"), job.value()));
    }

    public long count(String table) {
        return database.transact(
                "count",
                tx -> tx.first("select count(*) as n from tally." + table, row -> row.getLong("n"))
                        .orElseThrow());
    }

    /** Everything that breaks the rules of the ledgers; empty when all is well and every job is closed. */
    public List<String> violations() {
        return database.transact("check", tx -> tx.query("""
                select 'open job ' || id as violation from tally.job where closed_by is null
                union all
                select 'semaphore ' || semaphore || ' on closed job ' || id from tally.job
                    where closed_by is not null and semaphore <> 0
                union all
                select 'left-over posting ' || name || ' ' || path from tally.posting
                    where name = '$main' or job_id in (select job_id from tally.activity where kind = 'trigger')
                        or (path <> '' and source is null
                            and job_id in (select id from tally.job where closed_by is not null))
                union all
                select 'job ' || id || ' closed by ' || n || ' transitions'
                    from (select j.id, count(g.guid) as n
                        from tally.job j
                        left join tally.guid g on g.job_id = j.id and (g.ledger / 100000000000) % 10 = 1
                        group by j.id) closers
                    where n <> 1
                union all
                select 'skipped without arriving: ' || job_id || ' ' || path || ' ' || name from tally.activity
                    where skipped & ~arrived <> 0
                union all
                select 'completion not done: ' || job_id from tally.guid
                    where (ledger / 100000000000) % 10 = 1 and (ledger / 100000000) % 10 = 0
                union all
                select 'a marker was set twice: ' || job_id || ' ' || path || ' ' || lpad(ledger::text, 15, '0')
                    from (select job_id, path, ledger from tally.guid
                        union all select job_id, path, ledger from tally.activity) as l
                    where lpad(ledger::text, 15, '0') !~ '^[0-9]{3}[01]{4}'
                union all
                select 'two transitions in one dimension: ' || job_id || ' ' || path || ' ' || name
                    from tally.guid group by job_id, path, name, ordinal having count(*) > 1
                union all
                select 'two transitions of an activity that receives one event: ' || g.job_id || ' ' || g.path || ' ' || g.name
                    from tally.guid g
                    where g.job_id not in (select job_id from tally.activity where kind = 'trigger')
                    group by g.job_id, g.path, g.name having count(*) > 1
                union all
                select 'child told of twice or not at all: ' || id from tally.job c
                    where c.parent_job is not null and not exists (
                        select 1 from tally.guid g where g.job_id = c.parent_job and g.guid = c.parent_guid)
                union all
                select 'work without children marker: ' || job_id || ' ' || path from tally.guid
                    where (ledger / 10000000000) % 10 <> (ledger / 1000000000) % 10
                """, row -> row.getString("violation")));
    }

    private List<String> dump() {
        return database.transact("dump", tx -> tx.query("""
                select 'posting ' || queue || ' ' || path || ' ' || name || ' ' || visible_at || ' fence ' || fence
                    || ' owner ' || coalesce(owner, '-') as line
                from tally.posting
                union all
                select 'activity ' || path || ' ' || name || ' ' || lpad(ledger::text, 15, '0') from tally.activity
                """, row -> row.getString("line")));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        engines.forEach(Engine::close);
    }
}
