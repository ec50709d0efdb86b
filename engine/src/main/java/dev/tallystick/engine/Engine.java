package dev.tallystick.engine;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.engine.code.ExecutionServices;
import dev.tallystick.engine.code.Runner;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.run.GraphEngine;
import dev.tallystick.engine.graph.run.RemoteWork;
import dev.tallystick.engine.model.ConcurrencyLimit;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.CheckpointRetry;
import dev.tallystick.engine.record.CheckpointWriter;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.Continuations;
import dev.tallystick.engine.record.DatabaseRetry;
import dev.tallystick.engine.record.FormerLeaseStore;
import dev.tallystick.engine.record.GuardedConnection;
import dev.tallystick.engine.record.JobAcceptor;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.KeyNeedStore;
import dev.tallystick.engine.record.Lanes;
import dev.tallystick.engine.record.Outcomes;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.RecordReader;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.record.Spans;
import dev.tallystick.engine.record.Transactions;
import dev.tallystick.engine.seal.Receipts;
import dev.tallystick.engine.submit.JobMaker;
import dev.tallystick.engine.submit.JobStarter;
import dev.tallystick.engine.submit.Reruns;
import dev.tallystick.engine.upkeep.CompletionSweeper;
import dev.tallystick.engine.upkeep.JobRetention;
import dev.tallystick.engine.upkeep.TimerService;
import dev.tallystick.engine.upkeep.UnclaimedWatch;
import dev.tallystick.engine.view.JobListStore;
import dev.tallystick.engine.view.JobQuery;
import dev.tallystick.engine.view.JobSummary;
import dev.tallystick.engine.view.Unclaimed;
import dev.tallystick.engine.view.Why;
import dev.tallystick.engine.view.WhyStore;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.KeySweeper;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Loop;
import dev.tallystick.sql.Tx;
import dev.tallystick.sql.Wakeups;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GraphWorker;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.UnknownJobException;
import dev.tallystick.workflow.WorkflowType;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Accepts jobs and runs them. Any number of engines share one database; when the lease of one runs out, another takes over its
 * work. Thread-safe.
 */
public final class Engine implements AutoCloseable {

    private static final int CLAIM_BATCH = 200;
    private static final Duration STOPPING = Duration.ofSeconds(10);

    /** The most batches of expired keys per sweep, so that a sweep does not hog the database. */
    private static final int KEY_BATCHES = 50;

    /** The channel on which engines notify each other of due work. */
    private static final String WAKE = "tally_wake";

    private final String owner;
    private final @Nullable FormerLeaseStore former;
    private final GroupCommitter committer;
    private final JobAcceptor jobAcceptor;
    private final Signaller signaller;
    private final Runner runner;
    private final JobMaker maker;
    private final GraphEngine graphEngine;
    private final TimerService timerService;
    private final Continuations continuations;
    private final Outcomes outcomes;
    private final Database database;
    private final CrashPoints crashPoints;
    private final UnclaimedWatch unclaimed;
    private final Reruns reruns;
    private final RemoteWork remoteWork;
    private final JobStore jobs = new JobStore();
    private final Loop claims;
    private final Loop limited;
    private final Loop timers;
    /** Started in the constructor: processes that only submit also wait for results. */
    private final Loop watch;

    private final List<Loop> loops;
    private final Wakeups wakeups;
    private int idleLooks;
    private volatile boolean started;
    private volatile boolean stopping;
    private final PartnerLink partners = new PartnerLink(this::deliver);

    public Engine(
            Database database,
            AcceptKeys keys,
            Codec codec,
            Ids ids,
            InstantSource clock,
            RandomGenerator random,
            EngineSettings settings,
            CrashPoints crashPoints) {
        this.database = database;
        this.crashPoints = crashPoints;
        this.former = settings.instance() == null ? null : new FormerLeaseStore(settings.instance());
        this.owner = former == null ? ids.next().toString() : former.ownerOf(ids.next());
        PostingStore postings = new PostingStore();
        CollationStore collation = new CollationStore();
        this.committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        SignalStore signals = new SignalStore();
        CheckpointWriter checkpointWriter = new CheckpointWriter(collation, postings, jobs, signals, settings.lease());
        this.jobAcceptor = new JobAcceptor(keys, jobs, settings.lease());
        this.continuations = new Continuations(postings, jobs);
        this.outcomes = new Outcomes(database, continuations);
        CompletionSweeper sweeper = new CompletionSweeper(database, collation);
        this.claims = new Loop("claims", settings.poll(), this::claim);
        this.limited = new Loop("limited", settings.poll(), this::claimLimited);
        this.timers = new Loop("timers", settings.poll(), TimerService.REST, this::fireTimers);
        DatabaseRetry databaseRetry = new DatabaseRetry(() -> stopping);
        ConcurrencyLimit concurrencyLimit = new ConcurrencyLimit(settings);
        this.graphEngine = new GraphEngine(
                database,
                committer,
                collation,
                postings,
                jobs,
                codec,
                random,
                settings,
                concurrencyLimit,
                crashPoints,
                owner,
                new GraphEngine.Surroundings(
                        order -> maker().child(order), partners::post, this::deliver, outcomes::tell, () -> {
                            jobsAreDue();
                            timers.ring();
                        }));
        this.signaller = new Signaller(collation, postings, signals, graphEngine.signals());
        this.timerService = new TimerService(database, postings, collation, jobs);
        CheckpointRetry courier =
                new CheckpointRetry(committer, checkpointWriter, databaseRetry, this::ringClaims, timers::ringIn);
        ExecutionServices tools = new ExecutionServices(
                courier,
                new RecordReader(database, jobs, databaseRetry)::read,
                order -> maker().child(order),
                order -> maker().successor(order),
                this::jobsAreDue,
                new Transactions(database, collation, postings, jobs, databaseRetry),
                partners::post,
                codec,
                clock,
                random,
                settings.poll(),
                settings.lease(),
                new Spans(committer, settings.tracing()),
                crashPoints);
        this.runner = new Runner(
                database,
                postings,
                jobs,
                settings,
                tools,
                concurrencyLimit,
                courier::isSaturated,
                outcomes::tell,
                this::bodyEnded);
        this.maker = new JobMaker(ids, codec, runner, graphEngine, settings.tracing());
        this.reruns = new Reruns(database, collation, jobs, maker, keys, graphEngine.forks(), this::jobsAreDue);
        this.remoteWork = graphEngine.remoteWork(random, settings);
        this.unclaimed = new UnclaimedWatch(database, this::isRegistered, settings.lease());
        this.watch = new Loop("outcomes", settings.poll().dividedBy(4), outcomes::look);
        KeySweeper expired = new KeySweeper(database, new KeyNeedStore(keys.retention()), crashPoints);
        JobRetention retention = new JobRetention(database, keys.retention(), settings.retention());
        this.wakeups = new Wakeups(database, WAKE, owner, this::wokenByAnother);
        this.loops = new ArrayList<>(graphEngine.loops());
        Collections.addAll(
                loops,
                claims,
                limited,
                timers,
                new Loop("retention", settings.sweep(), retention::sweep),
                new Loop("keys", settings.sweep(), () -> expired.sweep(KEY_BATCHES)),
                new Loop("lanes", settings.sweep(), runner::forgetLanes),
                new Loop("unclaimed", settings.lease().multipliedBy(2), unclaimed::warn),
                new Loop("heartbeat", settings.heartbeat(), runner::beat),
                new Loop("completions", settings.lease(), sweeper::sweep),
                new Loop("results", settings.resultDelay(), runner::flushStale),
                watch);
        watch.start();
    }

    public void register(WorkflowType<?, ?> type) {
        runner.types().register(type);
        claims.ring();
    }

    /** Registers a graph; the engine takes its work once the workers that it names are registered too. */
    public void register(Graph graph) {
        if (runner.types().has(graph.queue())) {
            throw new IllegalArgumentException(
                    "workflow '" + graph.name() + "' version " + graph.version() + " is registered already");
        }
        graphEngine.register(graph);
    }

    /** Registers the worker for the work that graphs have under {@code name}, as a worker or as a topic. */
    public <I extends @Nullable Object, O extends @Nullable Object> void worker(
            String name, Class<I> input, GraphWorker<I, O> worker) {
        graphEngine.register(name, input, worker);
    }

    /** Starts to run jobs. An engine that is not started accepts jobs for others to run. */
    public void start() {
        if (former != null) {
            int unused = database.transact("free what was leased before", tx -> former.free(tx, owner));
        }
        started = true;
        loops.stream().filter(loop -> loop != watch).forEach(Loop::start);
        claims.ring();
        timers.ring();
        graphEngine.ring();
    }

    /** Accepts a job. The future fails like those of {@link GroupCommitter}. */
    public CompletableFuture<Accepted> submit(Submission submission) {
        return submitTracked(submission).accepted();
    }

    /** A job being accepted. {@code end} completes if the job runs and ends in this process, which saves a database query. */
    public record Tracked(CompletableFuture<Accepted> accepted, CompletableFuture<Closed> end) {}

    /** As {@link #submit}, for callers that also want the result. */
    public Tracked submitTracked(Submission submission) {
        NewJob job = plan(maker.id(), submission);
        CompletableFuture<Closed> end = new CompletableFuture<>();
        CompletableFuture<Accepted> answer = committer
                .submit(jobAcceptor, JobAcceptor.Item.of(job, submission))
                .thenApply(accepted -> {
                    if (accepted instanceof Accepted.Fresh) {
                        begin(job, end);
                    }
                    return accepted;
                });
        return new Tracked(answer, end);
    }

    private NewJob plan(JobId id, Submission submission) {
        return maker.submitted(id, submission, mayBegin(submission.delay()) ? owner : null);
    }

    private boolean mayBegin(Duration delay) {
        return started && !stopping && delay.isZero() && runner.free() > 0;
    }

    /** Accepts a job in the caller's transaction, which the caller ends. The job runs once the transaction commits. */
    public Accepted submitIn(Connection transaction, Submission submission) throws SQLException {
        return acceptIn(database.join(GuardedConnection.behind(transaction)), unbegun(submission));
    }

    /** A submitted job for any process to run. Not in a transaction. */
    public JobAcceptor.Item unbegun(Submission submission) {
        return JobAcceptor.Item.of(maker.submitted(maker.id(), submission, null), submission);
    }

    public Accepted acceptIn(Tx tx, JobAcceptor.Item item) throws SQLException {
        return Objects.requireNonNull(jobAcceptor.apply(tx, List.of(item)).getFirst());
    }

    public JobMaker maker() {
        return maker;
    }

    /** Accepts jobs in the caller's transactions, under keys that the caller has bound there. */
    public JobStarter intake() {
        return new JobStarter(maker, jobAcceptor, this::plan, job -> begin(job, new CompletableFuture<>()));
    }

    /** Serves workers outside this process. */
    public RemoteWork remoteWork() {
        return remoteWork;
    }

    public Type outputOf(String workflow) {
        return maker.newest(workflow).output();
    }

    /** Reruns and forks closed jobs, and redrives dead letters. */
    public Reruns reruns() {
        return reruns;
    }

    /** Due jobs that no process takes: most likely the code of their version is gone. */
    public List<Unclaimed> unclaimed() {
        return unclaimed.look(Duration.ZERO);
    }

    /** What the job waits for, since when, and what would make it proceed. */
    public Why why(String mesh, JobId job) {
        return database.read("why", tx -> new WhyStore().why(tx, mesh, continuations.newest(tx, job)))
                .orElseThrow(() -> new UnknownJobException(job));
    }

    /** What proves jobs to people outside, if any process seals the jobs of this database. */
    public Receipts receipts() {
        return new Receipts(database);
    }

    /** Sends a signal to a job of the mesh. The sender's key distinguishes it from other signals and identifies repeats. */
    public CompletableFuture<Signalled> signal(String mesh, JobId job, String name, String senderKey, byte[] payload) {
        return deliver(new SentSignal(mesh, SentSignal.Id.ofSender(job, name, senderKey), payload));
    }

    private CompletableFuture<Signalled> deliver(SentSignal signal) {
        return signaller.send(committer, signal).thenApply(answer -> {
            crashPoints.reached(EngineCrashPoint.SIGNALLED);
            jobsAreDue();
            return answer;
        });
    }

    /** Sends a signal in the caller's transaction; after the commit the caller must call {@link #jobsAreDue}. */
    Signalled signalIn(Tx tx, SentSignal signal) throws SQLException {
        return Objects.requireNonNull(signaller.apply(tx, List.of(signal)).getFirst());
    }

    /** Requests of jobs to participants of the exchange. */
    public PartnerLink partners() {
        return partners;
    }

    /** A page of jobs, newest first. */
    public List<JobSummary> list(JobQuery query) {
        return database.read("list jobs", tx -> new JobListStore().list(tx, query)).stream()
                .map(JobSummary::of)
                .toList();
    }

    /** The tasks that jobs ask people to answer. */
    public TaskDesk tasks() {
        return new TaskDesk(database, this);
    }

    /** Requests cancellation of a job of the mesh: durable on return, done soon after. A closed job stays unchanged. */
    public void cancel(String mesh, JobId job) {
        cancel(mesh, job, Also.NOTHING);
    }

    public void cancel(String mesh, JobId job, Also also) {
        database.transact("cancel job", tx -> {
            continuations.askCancel(tx, mesh, job);
            also.write(tx);
            return null;
        });
        crashPoints.reached(EngineCrashPoint.CANCEL_ASKED);
        timers.ring();
    }

    /** The job's end, or empty if the job is still open after {@code patience}. */
    public Optional<Closed> await(JobId job, Duration patience) throws InterruptedException {
        return outcomes.await(job, patience, runner.runs(job));
    }

    /** As {@link #await}, but without a database query on this thread: for callers that have queried and may be interrupted. */
    public Optional<Closed> awaitNews(JobId job, Duration patience) throws InterruptedException {
        return outcomes.awaitNews(job, patience);
    }

    /** Lets running work reach a commit, releases the rest for others to run, and ends. */
    @Override
    public void close() {
        endLoops();
        runner.stopAndRelease(STOPPING);
        graphEngine.stopAndRelease(STOPPING);
        committer.close();
    }

    /** Ends like a killed process: releases nothing. */
    void abandon() {
        endLoops();
        runner.abandon();
        graphEngine.abandon();
        committer.close();
    }

    private void endLoops() {
        stopping = true;
        wakeups.close();
        loops.forEach(Loop::end);
        loops.forEach(loop -> loop.awaitEnd(STOPPING));
    }

    private void begin(NewJob job, CompletableFuture<Closed> end) {
        if (job.owner() != null) {
            runner.begin(LeasedJob.first(job), end);
        } else if (job.trigger() != null && mayBegin(job.delay())) {
            graphEngine.begin(job);
        } else if (job.delay().isZero()) {
            jobsAreDue();
        } else if (job.trigger() != null) {
            graphEngine.ringIn(job.delay());
        } else {
            (job.hasLane() ? limited : claims).ringIn(job.delay());
        }
        if (job.timeout() != null) {
            timers.ringIn(job.delay().plus(job.timeout()));
        }
    }

    /** Wakes engines here and in other processes. */
    public void jobsAreDue() {
        ringClaims();
        graphEngine.ring();
        wakeups.ring();
    }

    private void wokenByAnother() {
        ringClaims();
        graphEngine.ring();
        timers.ring();
        watch.ring();
    }

    void startJobsOf(String queue, boolean starts) {
        graphEngine.start(queue, starts);
    }

    boolean isRegistered(String queue) {
        return runner.types().has(queue) || graphEngine.queues().contains(queue);
    }

    @Nullable
    Graph graph(String queue) {
        return graphEngine.graph(queue);
    }

    private void ringClaims() {
        claims.ring();
        if (runner.types().hasLimits()) {
            limited.ring();
        }
    }

    /** An engine without limits only occasionally looks for jobs left in lanes by workflows that once had a limit. */
    private void claimLimited() {
        if (!runner.types().hasLimits() && ++idleLooks % Lanes.IDLE_LOOKS != 0) {
            return;
        }
        while (!stopping && runner.claimLimited(owner, CLAIM_BATCH) > 0) {
            Thread.onSpinWait();
        }
    }

    private void claim() {
        while (!stopping && runner.claim(owner, CLAIM_BATCH) == CLAIM_BATCH) {
            Thread.onSpinWait();
        }
    }

    private void fireTimers() {
        TimerService.Fired fired = timerService.fire();
        fired.cancelled().forEach(runner::jobClosed);
        fired.undoing().forEach(runner::stopToUndo);
        if (!fired.woken().isEmpty()) {
            crashPoints.reached(EngineCrashPoint.TIMER_RECORDED);
            fired.woken().forEach(runner::ring);
            jobsAreDue();
        }
        if (fired.mayBeMore() || !fired.cancelled().isEmpty()) {
            timers.ring();
        } else {
            timerService.next().ifPresent(timers::ringIn);
        }
    }

    private void bodyEnded(Runner.Ended ended) {
        if (ended.makesRoom()) {
            ringClaims();
        } else if (runner.types().hasLimits()) {
            limited.ring();
        }
        if (ended.childMayHaveClosed()) {
            timers.ring();
            graphEngine.ring();
        }
    }
}
