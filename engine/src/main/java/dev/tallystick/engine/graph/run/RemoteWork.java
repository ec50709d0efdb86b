package dev.tallystick.engine.graph.run;

import dev.tallystick.core.StackTraces;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.Node;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.ExecutionStopped;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LeasedWork;
import dev.tallystick.engine.model.ResultDigest;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.Spans;
import dev.tallystick.engine.record.TraceStore;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.NotRecordedException;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets workers outside any engine do the work that graphs have for a topic. Their results are recorded once, under the same
 * fences and ledgers as the work that engines do themselves. Thread-safe; calls block.
 */
public final class RemoteWork {

    /** The maximum number of pieces handed out at once. */
    public static final int MAX_BATCH = 100;

    /** The maximum number of pieces that one heartbeat keeps. */
    public static final int MAX_KEPT = 500;

    private static final Logger LOG = LoggerFactory.getLogger(RemoteWork.class);

    private final PostingStore postings = new PostingStore();
    private final Database database;
    private final NodeStore graphs;
    private final Function<String, @Nullable GraphType> types;
    private final GraphRunner.Steps steps;
    private final RandomGenerator random;
    private final EngineSettings settings;
    private final Spans spans;
    private final Codec codec;
    private final RemoteWorkStore store = new RemoteWorkStore();
    private final TraceStore traces = new TraceStore();

    /** What a worker presents to keep its work and to report its result. */
    public record Handle(JobId job, UUID work, long fence) {}

    /**
     * Work that a worker holds until its lease expires.
     *
     * @param traceParent the parent of its spans (W3C); null if its job came without a trace context
     */
    public record Claimed(
            Handle handle,
            Work about,
            byte[] input,
            @Nullable String traceParent) {}

    /** The leased work, and the parents of its jobs' spans. */
    private record Taken(List<LeasedWork> work, Map<JobId, String> traces) {}

    /** The answer to a reported result. */
    public enum Brought {
        /** The result is recorded, by this call or an earlier one. */
        RECORDED,
        /** The result changes nothing, because the job had closed. */
        JOB_CLOSED,
        /** Nothing was written: another worker holds the lease. */
        LEASE_LOST,
        /** There is no such work of this topic. */
        UNKNOWN,
        /**
         * Nothing was written: this worker has already reported a different result of the same attempt, and that one stands.
         */
        ANOTHER_RESULT
    }

    RemoteWork(
            Database database,
            NodeStore graphs,
            Function<String, @Nullable GraphType> types,
            GraphRunner.Steps steps,
            RandomGenerator random,
            EngineSettings settings,
            Spans spans,
            Codec codec) {
        this.database = database;
        this.graphs = graphs;
        this.types = types;
        this.steps = steps;
        this.random = random;
        this.settings = settings;
        this.spans = spans;
        this.codec = codec;
    }

    /** How long a worker keeps its claimed work without a heartbeat. */
    public Duration lease() {
        return settings.lease();
    }

    /** Leases due work of a mesh. */
    public List<Claimed> claim(String mesh, String topic, String worker, int limit) {
        if (limit < 1 || limit > MAX_BATCH) {
            throw new IllegalArgumentException(
                    "1 to " + MAX_BATCH + " pieces of work are claimed at once, not " + limit);
        }
        Taken taken = database.transact("lease remote work", tx -> {
            List<Lease> leases = store.lease(tx, mesh, topic, limit, settings.lease(), worker);
            return leases.isEmpty()
                    ? new Taken(List.of(), Map.of())
                    : new Taken(
                            graphs.work(tx, leases),
                            traces.of(tx, leases.stream().map(Lease::job).toList()));
        });
        List<Claimed> claimed = new ArrayList<>(taken.work().size());
        for (LeasedWork work : taken.work()) {
            Optional<NodeEvent> instead = insteadOfWork(work);
            if (instead.isPresent()) {
                settle(work, instead.get());
            } else {
                String trace = taken.traces().get(work.lease().job());
                claimed.add(claimed(work, spans.handOut(work, trace)));
            }
        }
        return claimed;
    }

    /**
     * Settles claimed work that needs no worker, and hides it from the claimer. If that fails now, the next claim tries again.
     */
    private void settle(LeasedWork work, NodeEvent told) {
        try {
            bring(new NodeReport(work.lease(), told, null));
        } catch (TransactionException | NotRecordedException e) {
            LOG.warn("giving up {}, which another worker claims after the lease expires", work.lease(), e);
        }
    }

    /** If the engine stops midway, the outcome is unknown. */
    private NodeReportResult bring(NodeReport step) {
        try {
            return steps.bring(step);
        } catch (ExecutionStopped stopped) {
            throw new UnknownOutcomeException(
                    "the engine stops, and does not know the outcome of " + step.posting(), stopped);
        }
    }

    /** Extends leases; returns the work of the topic that is still its worker's. */
    public Set<UUID> keep(String mesh, String topic, String worker, List<Handle> handles) {
        if (handles.size() > MAX_KEPT) {
            throw new IllegalArgumentException("at most " + MAX_KEPT + " pieces of work are kept at once, not "
                    + handles.size() + ": send several heartbeats");
        }
        if (handles.isEmpty()) {
            return Set.of();
        }
        PostingStore.Beat beat = database.transact("heartbeat of remote work", tx -> {
            List<Lease> leases = store.findOpen(
                    tx, mesh, topic, worker, handles.stream().distinct().toList());
            return postings.extend(tx, leases, settings.lease());
        });
        return beat.standing().stream().map(Guid::value).collect(Collectors.toSet());
    }

    public Brought succeed(String mesh, String topic, String worker, Handle handle, byte[] output) {
        if (output.length > Payloads.MAX_BYTES) {
            throw new PayloadTooLargeException(output.length);
        }
        return bring(mesh, topic, worker, handle, ResultDigest.output(output), known -> new NodeEvent.Output(output));
    }

    /**
     * Reports a failed attempt. If it is not the last one, the work will be due again after a delay.
     *
     * @param stackTrace details beyond the one-line reason, in the format of the worker's language; shortened to
     *     {@link StackTraces#MAX_LENGTH}
     */
    public Brought fail(
            String mesh,
            String topic,
            String worker,
            Handle handle,
            String said,
            @Nullable String stackTrace,
            boolean forGood) {
        Fault fault = Fault.reported(said, stackTrace, codec);
        return bring(mesh, topic, worker, handle, ResultDigest.failure(fault.error(), forGood), known -> {
            GraphType type = types.apply(known.graph());
            Node.Worker node =
                    type == null ? null : type.worker(known.activity().name());
            Retry retry = node == null ? Retry.DEFAULT : node.retry();
            boolean last = forGood || known.attempt() >= retry.attempts();
            Duration wait = last ? null : retry.after(known.attempt(), random);
            if (known.owner() != null) {
                FailureLog.attempt(known.about(handle.work()), known.attempt(), retry.attempts(), fault, wait);
            }
            return wait == null ? new NodeEvent.Failure(fault) : new NodeEvent.Again(wait, fault);
        });
    }

    private Brought bring(
            String mesh,
            String topic,
            String worker,
            Handle handle,
            ResultDigest resultDigest,
            Function<RemoteWorkStore.Known, NodeEvent> told) {
        Optional<RemoteWorkStore.Known> known = database.read(
                "find remote work", tx -> store.find(tx, mesh, handle.job(), handle.work(), handle.fence()));
        if (known.isEmpty() || known.get().isOfAnother(topic)) {
            return Brought.UNKNOWN;
        }
        if (known.get().isHeldByAnother(worker)) {
            return Brought.LEASE_LOST;
        }
        Lease lease = new Lease(known.get().activity(), new Guid(handle.work()), handle.fence());
        return switch (bring(new NodeReport(lease, told.apply(known.get()), null, resultDigest))) {
            case NodeReportResult.Done done -> Brought.RECORDED;
            case NodeReportResult.JobClosed closed -> Brought.JOB_CLOSED;
            case NodeReportResult.LeaseLost lost -> Brought.LEASE_LOST;
            case NodeReportResult.AnotherResult another -> Brought.ANOTHER_RESULT;
        };
    }

    private Optional<NodeEvent> insteadOfWork(LeasedWork work) {
        GraphType type = types.apply(work.graph());
        if (type == null) {
            return Optional.of(NodeEvent.Again.elsewhere(settings.poll()));
        }
        if (work.jobClosed()) {
            return Optional.of(new NodeEvent.Failure("the job had closed"));
        }
        Node.Worker node = type.worker(work.lease().activity().name());
        if (node == null) {
            return Optional.of(
                    new NodeEvent.Failure(type.changed(work.lease().activity().name())));
        }
        return work.attempt() > node.retry().attempts()
                ? Optional.of(NodeEvent.neverCameBack(work.attempt() - 1, node.retry()))
                : Optional.empty();
    }

    private static Claimed claimed(LeasedWork work, @Nullable String traceParent) {
        ActivityId activity = work.lease().activity();
        UUID guid = work.lease().guid().value();
        return new Claimed(
                new Handle(activity.job(), guid, work.lease().fence()),
                new Work(
                        activity.job(),
                        activity.name(),
                        activity.path(),
                        work.attempt(),
                        work.key().toString()),
                work.input(),
                traceParent);
    }
}
