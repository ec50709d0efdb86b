package dev.tallystick.engine;

import dev.tallystick.core.Ids;
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
final class JobMaker {

    private final Ids ids;
    private final Codec codec;
    private final Runner runner;
    private final Graphs graphs;
    private final Tracing tracing;

    JobMaker(Ids ids, Codec codec, Runner runner, Graphs graphs, Tracing tracing) {
        this.ids = ids;
        this.codec = codec;
        this.runner = runner;
        this.graphs = graphs;
        this.tracing = tracing;
    }

    /** What a new job of a workflow runs: the version, its return type, and the trigger if it is a graph. */
    record Newest(int version, Type output, @Nullable String trigger) {}

    Newest newest(String workflow) {
        WorkflowType<?, ?> code = runner.types().newest(workflow);
        Graph graph = graphs.newest(workflow);
        if (graph != null && (code == null || graph.version() > code.version())) {
            return new Newest(graph.version(), Object.class, graph.trigger().name());
        }
        if (code == null) {
            return elsewhere(workflow, graphs.elsewhere().newest(workflow));
        }
        return new Newest(code.version(), code.output(), null);
    }

    private static Newest elsewhere(String workflow, Elsewhere.@Nullable Registered registered) {
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
        Elsewhere others = graphs.elsewhere();
        if (!isHere(workflow, version)) {
            others.look();
            Elsewhere.Registered found =
                    version == null ? others.newest(workflow) : others.find(Queues.of(workflow, version));
            if (found == null) {
                others.lookAgain();
            }
        }
        return version(workflow, version);
    }

    private boolean isHere(String workflow, @Nullable Integer version) {
        if (version == null) {
            return runner.types().newest(workflow) != null || graphs.newest(workflow) != null;
        }
        String queue = Queues.of(workflow, version);
        return runner.types().has(queue) || graphs.queues().contains(queue);
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
        Graph graph = graphs.isRetired(queue) ? null : graphs.graph(queue);
        if (graph != null) {
            return new Newest(version, Object.class, graph.trigger().name());
        }
        Elsewhere.Registered other = graphs.elsewhere().find(queue);
        if (other == null) {
            newest(workflow);
            throw new UnknownWorkflowException(workflow, version, versions(workflow));
        }
        return elsewhere(workflow, other);
    }

    private Set<Integer> versions(String workflow) {
        Set<Integer> known = new TreeSet<>();
        Stream<String> others =
                graphs.elsewhere().all().stream().map(each -> each.row().queue());
        Stream.concat(Stream.concat(runner.types().queues().stream(), graphs.queues().stream()), others)
                .filter(queue -> queue.startsWith(workflow + "@"))
                .forEach(queue -> known.add(Integer.parseInt(queue.substring(workflow.length() + 1))));
        return known;
    }

    /** The workflows that can be submitted here. */
    Set<String> workflows() {
        Set<String> names = new HashSet<>(runner.types().names());
        graphs.startable().map(Graph::name).forEach(names::add);
        return names;
    }

    /** All their versions, by name and version. */
    List<Intake.Known> known() {
        Stream<Intake.Known> code =
                runner.types().all().map(type -> new Intake.Known(type.name(), type.version(), null));
        Stream<Intake.Known> drawn =
                graphs.startable().map(graph -> new Intake.Known(graph.name(), graph.version(), graph));
        return Stream.concat(code, drawn)
                .sorted(Comparator.comparing(Intake.Known::workflow).thenComparingInt(Intake.Known::version))
                .toList();
    }

    /** The job for a submission, leased to {@code leasedTo} if its body can run here. Not in a transaction. */
    NewJob submitted(JobId id, Submission submission, @Nullable String leasedTo) {
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
    NewJob successor(ChildOrder order) {
        Newest type = newest(order.workflow());
        return limited(job(order, type).continuedFrom(order.parent().job()).build());
    }

    JobId id() {
        return new JobId(ids.next());
    }

    /** Repeats a closed job in its own version; {@code trigger} is where it begins if it runs a graph. */
    NewJob fork(JobId id, JobId from, RerunStore.Source source, @Nullable String trigger, LanesAgain lanes) {
        return again(id, from, source, source.version(), trigger, lanes);
    }

    /** Repeats a closed job in the newest version. */
    NewJob rerun(JobId id, JobId from, RerunStore.Source source, LanesAgain lanes) {
        Newest type = newest(source.workflow());
        return again(id, from, source, type.version(), type.trigger(), lanes);
    }

    /**
     * The lanes that a job would have if it ran again in its own version or in the newest. This calls user code, the key
     * functions of limits: do not call it inside a transaction.
     */
    LanesAgain lanesAgain(RerunStore.Source source) {
        LanesAgain lanes = new LanesAgain(version -> lane(source.workflow(), version, source.input()));
        try {
            lanes.ask(newest(source.workflow()).version());
        } catch (UnknownWorkflowException none) {
            // Callers that need the newest version get this exception themselves.
        }
        return lanes.ask(source.version());
    }

    private NewJob again(
            JobId id, JobId from, RerunStore.Source source, int version, @Nullable String trigger, LanesAgain lanes) {
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

    NewJob child(ChildOrder order) {
        Newest type = newest(order.workflow());
        return limited(job(order, type).parent(order.parent()).build());
    }

    private NewJob.Builder job(ChildOrder order, Newest type) {
        return NewJob.of(id(), order.mesh(), order.workflow(), type.version(), order.input())
                .trigger(type.trigger());
    }

    /** Whether creating a job of this workflow calls user code: the key function of its limit. */
    boolean hasLimit(String workflow) {
        WorkflowType<?, ?> code = runner.types().newest(workflow);
        return (code != null && code.limit() != null) || graphs.mayHaveLimit(workflow);
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
        Elsewhere.Registered other = type == null ? graphs.elsewhere().find(queue) : null;
        if (other != null && other.row().limited()) {
            throw UnknownWorkflowException.limited(workflow);
        }
        if (type != null) {
            return type.limit() == null ? null : keyOf(type, type.limit(), input);
        }
        Graph graph = graphs.graph(queue);
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
