package dev.tallystick.engine.graph.run;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ChildOrder;
import dev.tallystick.engine.model.ConcurrencyLimit;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.PartnerGateway;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.CheckpointRetry;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.DatabaseRetry;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.Lanes;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.record.Spans;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Loop;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GraphWorker;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Signalled;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of an engine that runs graphs. {@link GraphRunner} leases and runs work that needs a worker; this class does the
 * rest when it falls due, on the first engine to reach it.
 */
public final class GraphEngine {

    private static final Logger LOG = LoggerFactory.getLogger(GraphEngine.class);

    private static final int CLAIM_BATCH = 200;

    /** How many slow steps run separately at once; each takes a connection. */
    private static final int BY_THEMSELVES = 4;

    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("tally-graph-step").start(task);

    private final Database database;
    private final GroupCommitter committer;
    private final CrashPoints crashPoints;
    private final Surroundings surroundings;
    private final Spans spans;
    private final NodeStore store = new NodeStore();
    private final RemoteWorkflows remoteWorkflows;
    private final GraphRegistry registry;
    private final NodeReportWriter mover;
    private final HookSignals signals;
    private final GraphRunner runner;
    private final GraphForks forks;
    private final SlowGraphs slow = new SlowGraphs();
    private final Semaphore byThemselves = new Semaphore(BY_THEMSELVES);
    private final Set<Guid> underWay = ConcurrentHashMap.newKeySet();
    private final Codec codec;
    private final DatabaseRetry databaseRetry = new DatabaseRetry(() -> this.stopping);
    private final Loop claims;
    private final Loop dues;
    private final Lanes lanes;
    private final Loop limited;
    private final List<Loop> loops;
    private volatile boolean stopping;
    private int idleLooks;

    /**
     * The services that graphs need from the engine.
     *
     * @param children creates the job that an activity orders
     * @param partners posts requests to participants of the exchange
     * @param send sends a signal to a job
     * @param tell receives the jobs that closed
     * @param othersAreDue signals that a job related to another has started or ended
     */
    public record Surroundings(
            Function<ChildOrder, NewJob> children,
            PartnerGateway partners,
            Function<SentSignal, CompletableFuture<Signalled>> send,
            Consumer<Closed> tell,
            Runnable othersAreDue) {}

    public GraphEngine(
            Database database,
            GroupCommitter committer,
            CollationStore collation,
            PostingStore postings,
            JobStore jobs,
            Codec codec,
            RandomGenerator random,
            EngineSettings settings,
            ConcurrencyLimit concurrencyLimit,
            CrashPoints crashPoints,
            String owner,
            Surroundings surroundings) {
        this.database = database;
        this.committer = committer;
        this.crashPoints = crashPoints;
        this.codec = codec;
        this.surroundings = surroundings;
        this.spans = new Spans(committer, settings.tracing());
        this.remoteWorkflows = new RemoteWorkflows(database, settings.poll());
        this.registry = new GraphRegistry(remoteWorkflows);
        Codec guarded = new GraphCodec(codec);
        TransitionWriter writer = new TransitionWriter(
                collation,
                postings,
                jobs,
                new SignalStore(),
                store,
                registry::type,
                surroundings.children(),
                surroundings.partners(),
                guarded,
                settings.lease(),
                slow);
        this.mover = new NodeReportWriter(collation, postings, store, writer, new HookTasks(store, registry::type));
        this.signals = new HookSignals(
                store, postings, writer, queue -> registry.graphs().contains(queue));
        this.lanes = new Lanes(database, settings.lease());
        this.forks = new GraphForks(writer, registry, lanes);
        this.runner = new GraphRunner(
                database,
                postings,
                store,
                registry,
                this::bring,
                concurrencyLimit,
                codec,
                random,
                settings,
                spans,
                crashPoints,
                owner);
        this.claims = new Loop("graph-claims", settings.poll(), this::claim);
        DueNodes due = new DueNodes(
                database,
                store,
                registry,
                guarded,
                surroundings.send(),
                (posting, told) -> hand(posting, told, null),
                settings);
        this.dues = new Loop("graph-dues", settings.poll(), () -> doDue(due));
        this.limited = new Loop("graph-limited", settings.poll(), this::admit);
        this.loops = List.of(claims, dues, limited, new Loop("graph-heartbeat", settings.heartbeat(), runner::beat));
    }

    public HookSignals signals() {
        return signals;
    }

    public GraphForks forks() {
        return forks;
    }

    /** The registrations of other processes, including code. */
    public RemoteWorkflows elsewhere() {
        return remoteWorkflows;
    }

    public List<Loop> loops() {
        return loops;
    }

    public void register(Graph graph) {
        registry.register(graph);
        ring();
    }

    public <I extends @Nullable Object> void register(String name, Type input, GraphWorker<I, ?> worker) {
        registry.register(name, input, worker);
        ring();
    }

    /** Serves workers outside this process. */
    public RemoteWork remoteWork(RandomGenerator random, EngineSettings settings) {
        return new RemoteWork(database, store, registry::type, this::bring, random, settings, spans, codec);
    }

    @Nullable
    public Graph newest(String workflow) {
        return registry.newest(workflow);
    }

    @Nullable
    public Graph graph(String queue) {
        GraphType type = registry.type(queue);
        return type == null ? null : type.graph();
    }

    public Set<String> queues() {
        return registry.graphs();
    }

    /** The graphs of this process whose jobs may start. */
    public Stream<Graph> startable() {
        return registry.startable();
    }

    public boolean isRetired(String queue) {
        return registry.isRetired(queue);
    }

    public void start(String queue, boolean starts) {
        registry.start(queue, starts);
    }

    public boolean mayHaveLimit(String workflow) {
        return registry.mayHaveLimit(workflow);
    }

    /** Something may be due. */
    public void ring() {
        claims.ring();
        dues.ring();
        ringLimited();
    }

    private void ringLimited() {
        if (registry.hasLimits()) {
            limited.ring();
        }
    }

    /** Signals that something falls due after this time. */
    public void ringIn(Duration time) {
        claims.ringIn(time);
        dues.ringIn(time);
        limited.ringIn(time);
    }

    /**
     * Starts the trigger of a job just accepted without waiting for the next poll, unless only other processes have the graph.
     */
    public void begin(NewJob job) {
        crashPoints.reached(EngineCrashPoint.ACCEPTED);
        String graph = Queues.of(job.workflow(), job.version());
        if (!registry.graphs().contains(graph)) {
            surroundings.othersAreDue().run();
            return;
        }
        if (job.hasLane()) {
            ringLimited();
            return;
        }
        if (slow.has(graph)) {
            slow.add(job.id());
        }
        ActivityId trigger = job.first();
        Lease posting = new Lease(trigger, Guid.of(trigger, 0), 0);
        CompletableFuture<?> unused = hand(posting, new NodeEvent.Due(), graph);
    }

    public void stopAndRelease(Duration patience) {
        stopping = true;
        runner.stopAndRelease(patience);
    }

    public void abandon() {
        stopping = true;
        runner.abandon();
    }

    private void claim() {
        while (!stopping && runner.claim(CLAIM_BATCH) == CLAIM_BATCH) {
            Thread.onSpinWait();
        }
    }

    /** Without limits of its own, an engine looks only now and then for what graphs have left in lanes that had some. */
    private void admit() {
        if (registry.graphs().isEmpty() || (!registry.hasLimits() && ++idleLooks % Lanes.IDLE_LOOKS != 0)) {
            return;
        }
        Set<String> here = Set.of(Queues.ofGraphs(registry.graphs()));
        while (!stopping
                && database.transact("begin limited", tx -> lanes.admit(tx, registry.rules(), here, CLAIM_BATCH)) > 0) {
            dues.ring();
        }
    }

    private void doDue(DueNodes due) {
        if (due.doAll()) {
            dues.ring();
        } else {
            due.next().ifPresent(dues::ringIn);
        }
    }

    /** Submits a step without waiting for it: if it is lost, it is still due. A slow step is not waited for either. */
    private CompletableFuture<DueNodes.Handed> hand(Lease posting, NodeEvent told, @Nullable String graph) {
        if (underWay.contains(posting.guid())) {
            return CompletableFuture.completedFuture(DueNodes.Handed.UNKNOWN);
        }
        NodeReport step = new NodeReport(posting, told, graph == null ? null : runner.takerOf(graph));
        CompletableFuture<DueNodes.Handed> handed = new CompletableFuture<>();
        CompletableFuture<?> unused = submit(step, () -> handed.complete(DueNodes.Handed.UNKNOWN))
                .handle((moved, failure) -> handed.complete(whatCame(step, moved, failure)));
        return handed;
    }

    private DueNodes.Handed whatCame(NodeReport step, @Nullable NodeReportResult moved, @Nullable Throwable failure) {
        if (moved != null) {
            afterwards(step, moved);
            return DueNodes.Handed.DONE;
        }
        LOG.warn("{} is still due and will be tried again", step.posting(), failure);
        return failure != null && Failures.causeOf(failure) instanceof DefiniteFailureException
                ? DueNodes.Handed.NOT_NOW
                : DueNodes.Handed.UNKNOWN;
    }

    /**
     * A step that can never be written as it is ends its job with the reason. A slow step runs in a separate transaction, so
     * that it does not delay group commits.
     *
     * @param goesByItself called before the step runs separately
     */
    private CompletableFuture<NodeReportResult> submit(NodeReport step, Runnable goesByItself) {
        CompletableFuture<NodeReportResult> moved = slow.has(step.job())
                ? byItself(step, goesByItself)
                : committer
                        .submit(mover, step)
                        .exceptionallyCompose(failure -> Failures.causeOf(failure) instanceof SlowPlanException
                                ? byItself(step, goesByItself)
                                : CompletableFuture.failedFuture(failure));
        return moved.exceptionallyCompose(failure -> Failures.refusal(failure)
                .map(step::refused)
                .map(refused -> committer.submit(mover, refused))
                .orElseGet(() -> CompletableFuture.failedFuture(failure)));
    }

    private CompletableFuture<NodeReportResult> byItself(NodeReport step, Runnable goesByItself) {
        underWay.add(step.posting().guid());
        goesByItself.run();
        return CompletableFuture.supplyAsync(
                () -> {
                    byThemselves.acquireUninterruptibly();
                    try {
                        return database.transact(
                                "graph step",
                                tx -> Objects.requireNonNull(
                                        mover.apply(tx, List.of(step)).getFirst()));
                    } finally {
                        byThemselves.release();
                        underWay.remove(step.posting().guid());
                    }
                },
                THREADS);
    }

    /**
     * Brings a step to an end: done, refused because the lease is lost, or given up because the engine stops.
     *
     * @throws dev.tallystick.sql.TransactionException if the database gave no answer for too long
     */
    private NodeReportResult bring(NodeReport step) {
        NodeReportResult moved = databaseRetry.insist(
                () -> CheckpointRetry.committed(() -> submit(step, () -> {}).join()), failure -> true);
        afterwards(step, moved);
        if (step.told() instanceof NodeEvent.Again again) {
            claims.ringIn(again.after());
        }
        return moved;
    }

    private void afterwards(NodeReport step, NodeReportResult moved) {
        if (!(moved instanceof NodeReportResult.Done done)) {
            return;
        }
        crashPoints.reached(EngineCrashPoint.GRAPH_MOVED);
        done.leased().forEach(runner::begin);
        Closed closed = done.closed();
        if (closed != null) {
            crashPoints.reached(EngineCrashPoint.CLOSED);
            if (closed.outcome() == JobOutcome.FAILED) {
                logFailed(step, closed, String.valueOf(done.workflow()));
            }
            surroundings.tell().accept(closed);
            ringLimited();
        }
        if (done.engineIsDue()) {
            ring();
            surroundings.othersAreDue().run();
        }
    }

    private static void logFailed(NodeReport step, Closed closed, String workflow) {
        Throwable thrown = step.told() instanceof NodeEvent.Failure failure
                ? failure.fault().thrown()
                : null;
        String job = closed.job().toString();
        FailureLog.job(
                new FailureLog.Subject(closed.job(), workflow, job, null),
                new Fault(String.valueOf(closed.error()), null, thrown));
    }
}
