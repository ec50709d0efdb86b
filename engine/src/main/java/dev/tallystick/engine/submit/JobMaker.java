package dev.tallystick.engine.submit;

import dev.tallystick.core.Ids;
import dev.tallystick.engine.code.Runner;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphLimit;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.run.GraphEngine;
import dev.tallystick.engine.graph.run.RemoteWorkflows;
import dev.tallystick.engine.model.ChildOrder;
import dev.tallystick.engine.model.LimitKeyException;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.RepeatedLanes;
import dev.tallystick.engine.model.Tracing;
import dev.tallystick.engine.record.RerunStore;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.UnknownWorkflowException;
import dev.tallystick.workflow.WorkflowType;
import java.lang.reflect.Type;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Creates jobs that are submitted or ordered by another job's activity. Uses the newest version registered here, or else the
 * newest that another process has registered.
 */
public final class JobMaker {

    private final Ids ids;
    private final Codec codec;
    private final Runner runner;
    private final GraphEngine graphEngine;
    private final Tracing tracing;

    public JobMaker(Ids ids, Codec codec, Runner runner, GraphEngine graphEngine, Tracing tracing) {
        this.ids = ids;
        this.codec = codec;
        this.runner = runner;
        this.graphEngine = graphEngine;
        this.tracing = tracing;
    }

    /** What a new job of a workflow runs: the version, its return type, and the trigger if it is a graph. */
    public record Newest(int version, Type output, @Nullable String trigger) {}

    public Newest newest(String workflow) {
        WorkflowType<?, ?> code = runner.types().newest(workflow);
        Graph graph = graphEngine.newest(workflow);
        if (graph != null && (code == null || graph.version() > code.version())) {
            return new Newest(graph.version(), Object.class, graph.trigger().name());
        }
        if (code == null) {
            return elsewhere(workflow, graphEngine.elsewhere().newest(workflow));
        }
        return new Newest(code.version(), code.output(), null);
    }

    private static Newest elsewhere(String workflow, RemoteWorkflows.@Nullable Registered registered) {
        if (registered == null) {
            throw new UnknownWorkflowException(workflow);
        }
        GraphType graph = registered.graph();
        return new Newest(
                registered.row().version(),
                Object.class,
                graph == null ? null : graph.graph().trigger().name());
    }

    /**
     * Like {@link #version}, but first looks up what other processes have registered if it is not registered here. Not in a
     * transaction.
     */
    private Newest anywhere(String workflow, @Nullable Integer version) {
        RemoteWorkflows others = graphEngine.elsewhere();
        if (!isHere(workflow, version)) {
            others.look();
            RemoteWorkflows.Registered found =
                    version == null ? others.newest(workflow) : others.find(Queues.of(workflow, version));
            if (found == null) {
                others.lookAgain();
            }
        }
        return version(workflow, version);
    }

    private boolean isHere(String workflow, @Nullable Integer version) {
        if (version == null) {
            return runner.types().newest(workflow) != null || graphEngine.newest(workflow) != null;
        }
        String queue = Queues.of(workflow, version);
        return runner.types().has(queue) || graphEngine.queues().contains(queue);
    }

    /** The requested version, or the newest. */
    Newest version(String workflow, @Nullable Integer version) {
        return version == null ? newest(workflow) : exactly(workflow, version);
    }

    private Newest exactly(String workflow, int version) {
        String queue = Queues.of(workflow, version);
        WorkflowType<?, ?> code = runner.types().get(queue);
        if (code != null) {
            return new Newest(version, code.output(), null);
        }
        Graph graph = graphEngine.isRetired(queue) ? null : graphEngine.graph(queue);
        if (graph != null) {
            return new Newest(version, Object.class, graph.trigger().name());
        }
        RemoteWorkflows.Registered other = graphEngine.elsewhere().find(queue);
        if (other == null) {
            newest(workflow);
            throw new UnknownWorkflowException(workflow, version, versions(workflow));
        }
        return elsewhere(workflow, other);
    }

    private Set<Integer> versions(String workflow) {
        Set<Integer> known = new TreeSet<>();
        Stream<String> others =
                graphEngine.elsewhere().all().stream().map(each -> each.row().queue());
        Stream.concat(Stream.concat(runner.types().queues().stream(), graphEngine.queues().stream()), others)
                .filter(queue -> queue.startsWith(workflow + "@"))
                .forEach(queue -> known.add(Integer.parseInt(queue.substring(workflow.length() + 1))));
        return known;
    }

    /** The workflows that can be submitted here. */
    public Set<String> workflows() {
        Set<String> names = new HashSet<>(runner.types().names());
        graphEngine.startable().map(Graph::name).forEach(names::add);
        return names;
    }

    /** All their versions, by name and version. */
    List<JobStarter.Known> known() {
        Stream<JobStarter.Known> code =
                runner.types().all().map(type -> new JobStarter.Known(type.name(), type.version(), null));
        Stream<JobStarter.Known> drawn =
                graphEngine.startable().map(graph -> new JobStarter.Known(graph.name(), graph.version(), graph));
        return Stream.concat(code, drawn)
                .sorted(Comparator.comparing(JobStarter.Known::workflow).thenComparingInt(JobStarter.Known::version))
                .toList();
    }

    /** The job for a submission, leased to {@code leasedTo} if its body can run here. Not in a transaction. */
    public NewJob submitted(JobId id, Submission submission, @Nullable String leasedTo) {
        String workflow = submission.workflow();
        Newest type = anywhere(workflow, submission.version());
        boolean isCode = runner.types().has(Queues.of(workflow, type.version()));
        return limited(NewJob.of(id, submission.mesh(), workflow, type.version(), submission.input())
                .priority(submission.priority().turn())
                .delay(submission.delay())
                .owner(isCode ? leasedTo : null)
                .trigger(type.trigger())
                .timeout(submission.timeout())
                .traceParent(tracing.current())
                .attributes(submission.attributes())
                .build());
    }

    /** The job that continues the one ordering it. */
    public NewJob successor(ChildOrder order) {
        Newest type = newest(order.workflow());
        return limited(job(order, type).continuedFrom(order.parent().job()).build());
    }

    public JobId id() {
        return new JobId(ids.next());
    }

    /** Repeats a closed job in its own version; {@code trigger} is where it begins if it runs a graph. */
    NewJob fork(JobId id, JobId from, RerunStore.Source source, @Nullable String trigger, RepeatedLanes lanes) {
        return again(id, from, source, source.version(), trigger, lanes);
    }

    /** Repeats a closed job in the newest version. */
    NewJob rerun(JobId id, JobId from, RerunStore.Source source, RepeatedLanes lanes) {
        Newest type = newest(source.workflow());
        return again(id, from, source, type.version(), type.trigger(), lanes);
    }

    /**
     * The lanes that a job would have if it ran again in its own version or in the newest. This calls user code, the key
     * functions of limits: do not call it inside a transaction.
     */
    RepeatedLanes lanesAgain(RerunStore.Source source) {
        RepeatedLanes lanes = new RepeatedLanes(version -> lane(source.workflow(), version, source.input()));
        try {
            lanes.ask(newest(source.workflow()).version());
        } catch (UnknownWorkflowException none) {
            // Callers that need the newest version get this exception themselves.
        }
        return lanes.ask(source.version());
    }

    private NewJob again(
            JobId id,
            JobId from,
            RerunStore.Source source,
            int version,
            @Nullable String trigger,
            RepeatedLanes lanes) {
        String lane = lanes.of(version);
        NewJob job = NewJob.of(id, source.mesh(), source.workflow(), version, source.input())
                .priority(source.priority())
                .continuedFrom(from)
                .trigger(trigger)
                .timeout(source.timeout())
                .traceParent(tracing.current())
                .build();
        return lane == null ? job : job.inLane(lane);
    }

    public NewJob child(ChildOrder order) {
        Newest type = newest(order.workflow());
        return limited(job(order, type).parent(order.parent()).build());
    }

    private NewJob.Builder job(ChildOrder order, Newest type) {
        return NewJob.of(id(), order.mesh(), order.workflow(), type.version(), order.input())
                .trigger(type.trigger());
    }

    /** Whether creating a job of this workflow calls user code: the key function of its limit. */
    public boolean hasLimit(String workflow) {
        WorkflowType<?, ?> code = runner.types().newest(workflow);
        return (code != null && code.limit() != null) || graphEngine.mayHaveLimit(workflow);
    }

    /** A job whose workflow has a limit waits for its turn, even if this process could run it at once. */
    private NewJob limited(NewJob job) {
        String lane = lane(job.workflow(), job.version(), job.input());
        return lane == null ? job : job.inLane(lane);
    }

    /** The lane of a job whose workflow has a limit: the limit's key for the input. Null without a limit. */
    @Nullable
    String lane(String workflow, int version, byte[] input) {
        String queue = Queues.of(workflow, version);
        WorkflowType<?, ?> type = runner.types().get(queue);
        RemoteWorkflows.Registered other =
                type == null ? graphEngine.elsewhere().find(queue) : null;
        if (other != null && other.row().limited()) {
            throw UnknownWorkflowException.limited(workflow);
        }
        if (type != null) {
            return type.limit() == null ? null : keyOf(type, type.limit(), input);
        }
        Graph graph = graphEngine.graph(queue);
        return graph == null || graph.limit() == null ? null : keyOf(graph, graph.limit(), input);
    }

    private <I extends @Nullable Object> String keyOf(WorkflowType<?, ?> type, Limit<I> limit, byte[] input) {
        return keyOf(type.name(), () -> limit.keyOf(codec.<I>decode(input, type.input())));
    }

    private String keyOf(Graph graph, GraphLimit limit, byte[] input) {
        return keyOf(graph.name(), () -> limit.keyOf(codec.<@Nullable Object>decode(input, Object.class)));
    }

    private static String keyOf(String workflow, Supplier<String> key) {
        try {
            return key.get();
        } catch (RuntimeException | Error e) {
            throw new LimitKeyException(workflow, e);
        }
    }
}
