package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.Expression;
import dev.tallystick.engine.graph.ExpressionException;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphContext;
import dev.tallystick.engine.graph.Node;
import dev.tallystick.engine.graph.Node.Worker.By;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.engine.graph.PlacedNode;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ChildOrder;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Identity;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LimitKeyException;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.PartnerAnswer;
import dev.tallystick.engine.model.PartnerRequest;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.Question;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.record.TaskStore;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Turns reached nodes into rows to write: an activity, and a posting if there is work to do. */
final class NodeSpawner {

    /** A participant reads what it is sent, whatever codec our own record has. */
    private static final Codec PLAIN = new JsonCodec();

    private final NodeStore.Job job;
    private final Graph graph;
    private final Codec codec;
    private final Function<ChildOrder, NewJob> children;
    private final boolean mayGoOn;
    private final ReplayedEvents past;

    /**
     * @param mayGoOn whether the engine does its own part immediately; otherwise it is posted and done in another transaction
     * @param past the events to replay immediately instead of waiting for them
     */
    NodeSpawner(
            NodeStore.Job job,
            Graph graph,
            Codec codec,
            Function<ChildOrder, NewJob> children,
            boolean mayGoOn,
            ReplayedEvents past) {
        this.job = job;
        this.graph = graph;
        this.codec = codec;
        this.children = children;
        this.mayGoOn = mayGoOn;
        this.past = past;
    }

    /** Enters a node for the first time in its dimension. */
    void enter(
            PlacedNode place,
            NodeEntry dispatch,
            Map<String, @Nullable Object> context,
            NodeTransition cause,
            PlannedEffects planned) {
        spawn(place.node(), dispatch, new Identity(dispatch.activity(), 0), context, cause, planned, false);
    }

    /** A cycle enters a node again, which will receive another event. */
    void enterAgain(
            PlacedNode place,
            ActivityId activity,
            Identity identity,
            Map<String, @Nullable Object> context,
            NodeTransition cause,
            PlannedEffects planned) {
        planned.opened++;
        NodeEntry dispatch = new NodeEntry(activity, place.node().kind(), true, null, null, null, null);
        spawn(place.node(), dispatch, identity, context, cause, planned, true);
    }

    /** Makes a hook wait for its first or a further signal. */
    void waitOn(Node.Hook hook, ActivityId activity, Identity identity, PlannedEffects planned) {
        NodeEntry dispatch = new NodeEntry(activity, hook.kind(), true, null, null, null, null);
        if (!recalled(dispatch, identity, planned)) {
            put(planned, dispatch, null, waiting(hook, activity, identity, planned));
        }
    }

    private void spawn(
            Node node,
            NodeEntry dispatch,
            Identity identity,
            Map<String, @Nullable Object> context,
            NodeTransition cause,
            PlannedEffects planned,
            boolean again) {
        if (recalled(dispatch, identity, planned)) {
            return;
        }
        ActivityId activity = dispatch.activity();
        switch (node) {
            case Node.Worker worker
            when worker.by() == By.PARTICIPANT ->
                put(planned, dispatch, null, posted(worker, activity, identity, context, planned));
            case Node.Worker worker -> {
                boolean isTopic = worker.by() == By.TOPIC;
                byte[] input = input(node, worker.input(), context);
                NodeEntry.Posting work = posting(
                        identity,
                        isTopic ? worker.worker() : graph.queue(),
                        Duration.ZERO,
                        null,
                        isTopic ? null : cause.owner());
                put(planned, dispatch, input, again ? work.carrying(input) : work);
            }
            case Node.Await await -> {
                byte[] input = input(node, await.input(), context);
                ChildOrder order = new ChildOrder(activity, job.mesh(), await.workflow(), input);
                put(planned, dispatch, null, null);
                try {
                    planned.children.add(children.apply(order));
                } catch (UnknownWorkflowException | LimitKeyException e) {
                    tellAtOnce(
                            dispatch,
                            identity,
                            new NodeEvent.Failure(Failures.clean(String.valueOf(e.getMessage()))),
                            planned);
                }
            }
            case Node.Hook hook
            when hook.task() != null ->
                put(planned, dispatch, null, asking(hook, hook.task(), identity, context, planned));
            case Node.Hook hook
            when hook.isPosted() -> put(planned, dispatch, null, waiting(hook, activity, identity, planned));
            case Node.Signal signal -> {
                Map<String, @Nullable Object> order = new LinkedHashMap<>();
                order.put(GraphContext.JOB, evaluate(node, signal.job(), context));
                order.put(GraphContext.PAYLOAD, evaluate(node, signal.payload(), context));
                put(planned, dispatch, Payloads.encode(codec, order), due(identity));
            }
            case Node.Hook hook -> inline(dispatch, identity, cause, planned);
            case Node.Cycle cycle -> inline(dispatch, identity, cause, planned);
            case Node.Interrupt interrupt -> inline(dispatch, identity, cause, planned);
            case Node.Trigger trigger -> throw new IllegalStateException("nothing leads to a trigger");
        }
    }

    /** Replays the event if it is on record; returns whether it is. */
    private boolean recalled(NodeEntry dispatch, Identity identity, PlannedEffects planned) {
        return past.recall(identity)
                .map(recalled -> {
                    put(planned, dispatch, recalled.input(), null);
                    return tellAtOnce(dispatch, identity, recalled.told(), planned);
                })
                .orElse(false);
    }

    private static boolean tellAtOnce(NodeEntry dispatch, Identity identity, NodeEvent told, PlannedEffects planned) {
        Lease own = new Lease(dispatch.activity(), identity.guid(), 0);
        return planned.inline.add(new NodeTransition(own, told, null));
    }

    private void inline(NodeEntry dispatch, Identity identity, NodeTransition cause, PlannedEffects planned) {
        put(planned, dispatch, null, mayGoOn ? null : due(identity));
        if (mayGoOn) {
            Lease own = new Lease(dispatch.activity(), identity.guid(), 0);
            planned.inline.add(new NodeTransition(own, new NodeEvent.Due(), cause.owner()));
        }
    }

    private NodeEntry.Posting waiting(Node.Hook hook, ActivityId activity, Identity identity, PlannedEffects planned) {
        String signal = hook.signal();
        if (signal != null) {
            planned.waits.add(new SignalStore.Wait(new Lease(activity, identity.guid(), 0), signal));
        }
        return posting(identity, Queues.ofGraph(graph.queue()), hook.timer(), signal, null);
    }

    /** The wait and the task begin together; the answer arrives as a signal specific to the task. */
    private NodeEntry.Posting asking(
            Node.Hook hook,
            NodeAsk ask,
            Identity identity,
            Map<String, @Nullable Object> context,
            PlannedEffects planned) {
        TaskId task = HookTasks.idOf(identity.guid());
        Expression details = ask.details();
        byte[] about = Payloads.encode(codec, details == null ? null : evaluate(hook, details, context));
        @Nullable Duration due = ask.wait(0, hook.timer());
        String person = person(hook, ask, context);
        planned.tasks.add(
                new TaskStore.Asked(task, job.id(), job.mesh(), hook.name(), ask.group(), person, about, due));
        return posting(identity, Queues.ofGraph(graph.queue()), due, Question.signal(task), null);
    }

    /** The wait and the request begin together; the result arrives as a signal specific to the request. */
    private NodeEntry.Posting posted(
            Node.Worker worker,
            ActivityId activity,
            Identity identity,
            Map<String, @Nullable Object> context,
            PlannedEffects planned) {
        byte[] payload = Payloads.encode(PLAIN, evaluate(worker, worker.input(), context));
        JobId keysOf = job.keysOf();
        UUID id = (keysOf == null ? identity.guid() : identity.in(keysOf)).value();
        planned.requests.add(new PlannedEffects.PartnerWait(
                new Lease(activity, identity.guid(), 0),
                new PartnerRequest(worker.worker(), id, payload, job.mesh(), job.id())));
        return posting(identity, Queues.ofGraph(graph.queue()), null, PartnerAnswer.signal(id), null);
    }

    private static @Nullable String person(Node.Hook hook, NodeAsk ask, Map<String, @Nullable Object> context) {
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

    private NodeEntry.Posting due(Identity identity) {
        return posting(identity, Queues.ofGraph(graph.queue()), Duration.ZERO, null, null);
    }

    /** A fork calls foreign systems under the same keys as the job that was forked. */
    private NodeEntry.Posting posting(
            Identity identity, String queue, @Nullable Duration due, @Nullable String awaits, @Nullable String owner) {
        JobId keysOf = job.keysOf();
        Guid key = keysOf == null ? null : identity.in(keysOf);
        return new NodeEntry.Posting(identity.guid(), key, queue, due, awaits, owner, null);
    }

    private static void put(
            PlannedEffects planned, NodeEntry dispatch, byte @Nullable [] input, NodeEntry.@Nullable Posting posting) {
        planned.dispatch(new NodeEntry(
                dispatch.activity(), dispatch.kind(), true, input, dispatch.arrived(), dispatch.skipped(), posting));
    }

    private byte[] input(Node node, Expression expression, Map<String, @Nullable Object> context) {
        return Payloads.encode(codec, evaluate(node, expression, context));
    }

    private static @Nullable Object evaluate(Node node, Expression expression, Map<String, @Nullable Object> context) {
        try {
            return expression.evaluate(context);
        } catch (ExpressionException e) {
            throw new ExpressionException("node '" + node.name() + "': " + e.getMessage(), e);
        }
    }
}
