package dev.tallystick.engine.graph.run;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Unwinding;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.Node;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ConcurrencyLimit;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedJob;
import dev.tallystick.engine.model.LeasedWork;
import dev.tallystick.engine.model.Threads;
import dev.tallystick.engine.model.TimeLimit;
import dev.tallystick.engine.record.DuePostingStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.Spans;
import dev.tallystick.sql.Database;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GraphWorker;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Work;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Runs the work of graphs on virtual threads, extends its leases, and submits the results. Thread-safe. */
final class GraphRunner {

    private final Database database;
    private final PostingStore postings;
    private final DuePostingStore duePostings = new DuePostingStore();
    private final NodeStore graphs;
    private final GraphRegistry registry;
    private final Steps steps;
    private final ConcurrencyLimit concurrencyLimit;
    private final Codec codec;
    private final RandomGenerator random;
    private final EngineSettings settings;
    private final Spans spans;
    private final CrashPoints crashPoints;
    private final String owner;

    private final ConcurrentHashMap<Guid, Running> running = new ConcurrentHashMap<>();
    private volatile boolean stopping;

    /** Submits a step, with as many retries as it takes. */
    @FunctionalInterface
    interface Steps {
        NodeReportResult bring(NodeReport step);
    }

    private record Running(Lease lease, Thread thread) {}

    GraphRunner(
            Database database,
            PostingStore postings,
            NodeStore graphs,
            GraphRegistry registry,
            Steps steps,
            ConcurrencyLimit concurrencyLimit,
            Codec codec,
            RandomGenerator random,
            EngineSettings settings,
            Spans spans,
            CrashPoints crashPoints,
            String owner) {
        this.database = database;
        this.postings = postings;
        this.graphs = graphs;
        this.registry = registry;
        this.steps = steps;
        this.concurrencyLimit = concurrencyLimit;
        this.codec = codec;
        this.random = random;
        this.settings = settings;
        this.spans = spans;
        this.crashPoints = crashPoints;
        this.owner = owner;
    }

    /** The owner that leases work spawned here; null while there is no room for it. */
    @Nullable
    String takerOf(String graph) {
        boolean takes = !stopping && registry.queues().contains(graph) && running.size() < settings.atOnce();
        return takes ? owner : null;
    }

    /** Leases due work and starts it; returns how much. */
    int claim(int limit) {
        Set<String> queues = registry.queuesAnywhere();
        int wanted = Math.min(limit, settings.atOnce() - running.size());
        if (wanted <= 0 || queues.isEmpty()) {
            return 0;
        }
        List<LeasedWork> leased = database.transact("lease work", tx -> {
            List<Lease> leases = duePostings.leaseBodies(tx, queues, wanted, settings.lease(), owner).stream()
                    .map(LeasedJob::lease)
                    .toList();
            return leases.isEmpty() ? List.of() : graphs.work(tx, leases);
        });
        leased.forEach(this::begin);
        return leased.size();
    }

    /** Runs leased work, unless it already runs here. */
    void begin(LeasedWork work) {
        Guid guid = work.lease().guid();
        Thread thread = Thread.ofVirtual()
                .name("tally-work-" + work.lease().job())
                .unstarted(() -> {
                    try {
                        crashPoints.reached(EngineCrashPoint.LEASED);
                        perform(work);
                    } catch (ExecutionStopped stopped) {
                        // The posting says where to resume, and the next process to lease it does.
                    } catch (Throwable e) {
                        FailureLog.left(work.lease().toString(), e);
                    } finally {
                        running.computeIfPresent(
                                guid, (id, now) -> now.thread().equals(Thread.currentThread()) ? null : now);
                    }
                });
        Running mine = new Running(work.lease(), thread);
        Running now = running.merge(
                guid,
                mine,
                (before, after) -> before.lease().fence() < after.lease().fence() ? after : before);
        if (now.thread().equals(thread)) {
            thread.start();
        }
    }

    private void perform(LeasedWork work) {
        GraphType type = registry.typeAnywhere(work.graph());
        if (type == null) {
            bring(work, NodeEvent.Again.elsewhere(settings.poll()));
            return;
        }
        Node.Worker node = type.worker(work.lease().activity().name());
        if (work.jobClosed()) {
            bring(work, new NodeEvent.Failure("the job had closed"));
        } else if (node == null) {
            bring(
                    work,
                    new NodeEvent.Failure(type.changed(work.lease().activity().name())));
        } else if (work.attempt() > node.retry().attempts()) {
            bring(work, NodeEvent.neverCameBack(work.attempt() - 1, node.retry()));
        } else {
            NodeEvent told = concurrencyLimit.holding(work.workflow(), () -> attempt(work, node));
            crashPoints.reached(
                    told instanceof NodeEvent.Again
                            ? EngineCrashPoint.ATTEMPT_FAILED
                            : EngineCrashPoint.STEP_RUN_UNRECORDED);
            bring(work, told);
        }
    }

    private NodeEvent attempt(LeasedWork work, Node.Worker node) {
        ActivityId activity = work.lease().activity();
        Work about = new Work(
                work.lease().job(),
                activity.name(),
                activity.path(),
                work.attempt(),
                work.key().toString());
        try {
            GraphWorker.Typed<?> worker = Objects.requireNonNull(
                    registry.worker(node.worker()), () -> "no worker '" + node.worker() + "' is registered here");
            Object output = TimeLimit.<@Nullable Object>within(
                    node.retry().timeout(), spans.node(work, () -> worker.call(codec, about, work.input())));
            return new NodeEvent.Output(Payloads.encode(codec, output));
        } catch (Unwinding ours) {
            throw ours;
        } catch (Throwable e) {
            boolean last = !node.retry().allows(work.attempt(), e) || e instanceof PayloadTooLargeException;
            Fault fault = Fault.of(e, codec);
            Duration wait = last ? null : node.retry().after(work.attempt(), random);
            FailureLog.attempt(work.about(), work.attempt(), node.retry().attempts(), fault, wait);
            return wait == null ? new NodeEvent.Failure(fault) : new NodeEvent.Again(wait, fault);
        }
    }

    private void bring(LeasedWork work, NodeEvent told) {
        Running mine = running.get(work.lease().guid());
        if (mine == null || !mine.thread().equals(Thread.currentThread())) {
            return;
        }
        steps.bring(new NodeReport(work.lease(), told, takerOf(work.graph())));
    }

    /**
     * Extends the leases of all running work, and interrupts work that has lost its lease or whose job has closed; the latter
     * may still submit its result, which acknowledges its posting.
     */
    void beat() {
        List<Running> beating = List.copyOf(running.values());
        if (beating.isEmpty()) {
            return;
        }
        List<Lease> leases = beating.stream().map(Running::lease).toList();
        PostingStore.Beat beat =
                database.transact("heartbeat of work", tx -> postings.extend(tx, leases, settings.lease()));
        beating.stream()
                .filter(each -> !beat.standing().contains(each.lease().guid()))
                .filter(each -> beat.closed().contains(each.lease().guid())
                        || running.remove(each.lease().guid(), each))
                .forEach(each -> each.thread().interrupt());
    }

    /** Lets running work finish if it does so soon, and releases the leases. */
    void stopAndRelease(Duration patience) {
        stopping = true;
        List<Running> left = List.copyOf(running.values());
        List<Thread> threads = left.stream().map(Running::thread).toList();
        Threads.awaitAll(threads, System.nanoTime() + settings.safeDrain().toNanos());
        running.clear();
        threads.forEach(Thread::interrupt);
        Threads.awaitAll(threads, System.nanoTime() + patience.toNanos());
        List<Lease> leases = left.stream().map(Running::lease).toList();
        if (!leases.isEmpty()) {
            database.transact("release work", tx -> {
                postings.release(tx, leases);
                return null;
            });
        }
    }

    /** Stops like a dying process: releases nothing. */
    void abandon() {
        stopping = true;
        List<Running> left = List.copyOf(running.values());
        running.clear();
        left.forEach(each -> each.thread().interrupt());
    }
}
