package dev.tallystick.engine;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Turns reached nodes into rows to write: an activity, and a posting if there is work to do. */
final class GraphSpawner {

    private final GraphStore.Job job;
    private final Graph graph;
    private final Codec codec;
    private final Function<ChildOrder, NewJob> children;
    private final boolean mayGoOn;
    private final GraphPast past;

    /**
     * @param mayGoOn whether the engine does its own part immediately; otherwise it is posted and done in another transaction
     * @param past the events to replay immediately instead of waiting for them
     */
    GraphSpawner(
            GraphStore.Job job,
            Graph graph,
            Codec codec,
            Function<ChildOrder, NewJob> children,
            boolean mayGoOn,
            GraphPast past) {
        this.job = job;
        this.graph = graph;
        this.codec = codec;
        this.children = children;
        this.mayGoOn = mayGoOn;
        this.past = past;
    }

    /** Enters a node for the first time in its dimension. */
    void enter(
            GraphPlace place,
            GraphDispatch dispatch,
            Map<String, @Nullable Object> context,
            GraphTransition cause,
            GraphEffects planned) {
        spawn(place.node(), dispatch, new Identity(dispatch.activity(), 0), context, cause, planned, false);
    }

    /** A cycle enters a node again, which will receive another event. */
    void enterAgain(
            GraphPlace place,
            ActivityId activity,
            Identity identity,
            Map<String, @Nullable Object> context,
            GraphTransition cause,
            GraphEffects planned) {
        planned.opened++;
        GraphDispatch dispatch = new GraphDispatch(activity, place.node().kind(), true, null, null, null, null);
        spawn(place.node(), dispatch, identity, context, cause, planned, true);
    }

    /** Makes a hook wait for its first or a further signal. */
    void waitOn(GraphNode.Hook hook, ActivityId activity, Identity identity, GraphEffects planned) {
        GraphDispatch dispatch = new GraphDispatch(activity, hook.kind(), true, null, null, null, null);
        if (!recalled(dispatch, identity, planned)) {
            put(planned, dispatch, null, waiting(hook, activity, identity, planned));
        }
    }

    private void spawn(
            GraphNode node,
            GraphDispatch dispatch,
            Identity identity,
            Map<String, @Nullable Object> context,
            GraphTransition cause,
            GraphEffects planned,
            boolean again) {
        if (recalled(dispatch, identity, planned)) {
            return;
        }
        ActivityId activity = dispatch.activity();
        switch (node) {
            case GraphNode.Worker worker -> {
                byte[] input = input(node, worker.input(), context);
                GraphDispatch.Posting work = posting(
                        identity,
                        worker.topic() ? worker.worker() : graph.queue(),
                        Duration.ZERO,
                        null,
                        worker.topic() ? null : cause.owner());
                put(planned, dispatch, input, again ? work.carrying(input) : work);
            }
            case GraphNode.Await await -> {
                byte[] input = input(node, await.input(), context);
                ChildOrder order = new ChildOrder(activity, job.mesh(), await.workflow(), input);
                put(planned, dispatch, null, null);
                try {
                    planned.children.add(children.apply(order));
                } catch (UnknownWorkflowException | LimitKeyException e) {
                    tellAtOnce(
                            dispatch,
                            identity,
                            new GraphTold.Failure(Failures.clean(String.valueOf(e.getMessage()))),
                            planned);
                }
            }
            case GraphNode.Hook hook
            when hook.task() != null ->
                put(planned, dispatch, null, asking(hook, hook.task(), identity, context, planned));
            case GraphNode.Hook hook
            when hook.isPosted() -> put(planned, dispatch, null, waiting(hook, activity, identity, planned));
            case GraphNode.Signal signal -> {
                Map<String, @Nullable Object> order = new LinkedHashMap<>();
                order.put(GraphContext.JOB, evaluate(node, signal.job(), context));
                order.put(GraphContext.PAYLOAD, evaluate(node, signal.payload(), context));
                put(planned, dispatch, Payloads.encode(codec, order), due(identity));
            }
            case GraphNode.Hook hook -> inline(dispatch, identity, cause, planned);
            case GraphNode.Cycle cycle -> inline(dispatch, identity, cause, planned);
            case GraphNode.Interrupt interrupt -> inline(dispatch, identity, cause, planned);
            case GraphNode.Trigger trigger -> throw new IllegalStateException("nothing leads to a trigger");
        }
    }

    /** Replays the event if it is on record; returns whether it is. */
    private boolean recalled(GraphDispatch dispatch, Identity identity, GraphEffects planned) {
        return past.recall(identity)
                .map(recalled -> {
                    put(planned, dispatch, recalled.input(), null);
                    return tellAtOnce(dispatch, identity, recalled.told(), planned);
                })
                .orElse(false);
    }

    private static boolean tellAtOnce(GraphDispatch dispatch, Identity identity, GraphTold told, GraphEffects planned) {
        Lease own = new Lease(dispatch.activity(), identity.guid(), 0);
        return planned.inline.add(new GraphTransition(own, told, null));
    }

    private void inline(GraphDispatch dispatch, Identity identity, GraphTransition cause, GraphEffects planned) {
        put(planned, dispatch, null, mayGoOn ? null : due(identity));
        if (mayGoOn) {
            Lease own = new Lease(dispatch.activity(), identity.guid(), 0);
            planned.inline.add(new GraphTransition(own, new GraphTold.Due(), cause.owner()));
        }
    }

    private GraphDispatch.Posting waiting(
            GraphNode.Hook hook, ActivityId activity, Identity identity, GraphEffects planned) {
        String signal = hook.signal();
        if (signal != null) {
            planned.waits.add(new SignalStore.Wait(new Lease(activity, identity.guid(), 0), signal));
        }
        return posting(identity, Queues.ofGraph(graph.queue()), hook.timer(), signal, null);
    }

    /** The wait and the task begin together; the answer arrives as a signal specific to the task. */
    private GraphDispatch.Posting asking(
            GraphNode.Hook hook,
            GraphAsk ask,
            Identity identity,
            Map<String, @Nullable Object> context,
            GraphEffects planned) {
        TaskId task = GraphTasks.idOf(identity.guid());
        Expression details = ask.details();
        byte[] about = Payloads.encode(codec, details == null ? null : evaluate(hook, details, context));
        @Nullable Duration due = ask.wait(0, hook.timer());
        String person = person(hook, ask, context);
        planned.tasks.add(
                new TaskStore.Asked(task, job.id(), job.mesh(), hook.name(), ask.group(), person, about, due));
        return posting(identity, Queues.ofGraph(graph.queue()), due, Question.signal(task), null);
    }

    private static @Nullable String person(GraphNode.Hook hook, GraphAsk ask, Map<String, @Nullable Object> context) {
        Expression person = ask.person();
        if (person == null) {
            return null;
        }
        String name = evaluate(hook, person, context) instanceof String text ? text : "";
        try {
            Ask.requireName("person", name);
            return name;
        } catch (IllegalArgumentException e) {
            throw new ExpressionException(
                    "node '" + hook.name() + "': '" + person + "' names no one: " + e.getMessage(), e);
        }
    }

    private GraphDispatch.Posting due(Identity identity) {
        return posting(identity, Queues.ofGraph(graph.queue()), Duration.ZERO, null, null);
    }

    /** A fork calls foreign systems under the same keys as the job that was forked. */
    private GraphDispatch.Posting posting(
            Identity identity, String queue, @Nullable Duration due, @Nullable String awaits, @Nullable String owner) {
        JobId keysOf = job.keysOf();
        Guid key = keysOf == null ? null : identity.in(keysOf);
        return new GraphDispatch.Posting(identity.guid(), key, queue, due, awaits, owner, null);
    }

    private static void put(
            GraphEffects planned,
            GraphDispatch dispatch,
            byte @Nullable [] input,
            GraphDispatch.@Nullable Posting posting) {
        planned.dispatch(new GraphDispatch(
                dispatch.activity(), dispatch.kind(), true, input, dispatch.arrived(), dispatch.skipped(), posting));
    }

    private byte[] input(GraphNode node, Expression expression, Map<String, @Nullable Object> context) {
        return Payloads.encode(codec, evaluate(node, expression, context));
    }

    private static @Nullable Object evaluate(
            GraphNode node, Expression expression, Map<String, @Nullable Object> context) {
        try {
            return expression.evaluate(context);
        } catch (ExpressionException e) {
            throw new ExpressionException("node '" + node.name() + "': " + e.getMessage(), e);
        }
    }
}
