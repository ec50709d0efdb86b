package dev.tallystick.engine.graph.run;

import dev.tallystick.core.Digit;
import dev.tallystick.core.Step;
import dev.tallystick.engine.graph.Dimension;
import dev.tallystick.engine.graph.Expression;
import dev.tallystick.engine.graph.ExpressionException;
import dev.tallystick.engine.graph.GraphContext;
import dev.tallystick.engine.graph.GraphShape;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.Node;
import dev.tallystick.engine.graph.PlacedNode;
import dev.tallystick.engine.graph.run.GraphCodec.CodecFailedException;
import dev.tallystick.engine.graph.run.NodeStore.Entered;
import dev.tallystick.engine.graph.run.NodeStore.Seen;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Identity;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.LimitKeyException;
import dev.tallystick.engine.model.PartnerAnswer;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plans the transitions of one job that commit together, one after the other: what each leads to, how it changes the semaphore,
 * and whether it ends the job. Writes nothing. The job is locked, so the data read stays true until the plan is written.
 *
 * <p>Invariants: a transition that spawned before spawns nothing; {@code delta = opened − (final ? 1 : 0)}; what follows a
 * transition lives in the dimension of its GUID; transitions after the one that ends the job are recorded and change nothing.
 */
final class Plan {

    /** How many rounds a loop may make without waiting. */
    static final int MAX_ROUNDS_AT_ONCE = 10_000;

    /** Reads data that only some plans need. */
    interface Reader extends Joins.Reader {
        /** The newest output of each node, at the path and further in. */
        List<Seen> newest(String path) throws SQLException;
    }

    private static final Codec PLAIN = new JsonCodec();

    private final GraphType type;
    private final NodeStore.Job job;
    private final NodeSpawner spawner;
    private final Codec codec;
    private final Reader reader;
    private final Joins joins;
    private final Map<Guid, Entered> entered;

    private final Map<ActivityId, Seen> seen = new HashMap<>();
    private final Map<ActivityId, Integer> entries = new HashMap<>();
    private final Map<ActivityId, Object> outputs = new HashMap<>();
    private int semaphore;
    private @Nullable Closed closed;

    final PlannedEffects effects = new PlannedEffects();
    final List<LegTwo> legs = new ArrayList<>();
    final Map<Guid, Integer> ordinals = new HashMap<>();

    /** Transitions that are not recorded because a counter is full. They have ended their job, and are acknowledged anyway. */
    final List<Lease> refused = new ArrayList<>();

    Plan(
            GraphType type,
            NodeStore.Job job,
            List<Seen> seen,
            Map<Guid, Entered> entered,
            NodeSpawner spawner,
            Codec codec,
            Reader reader) {
        this.type = type;
        this.job = job;
        this.spawner = spawner;
        this.codec = codec;
        this.reader = reader;
        this.joins = new Joins(this, this.seen, reader);
        this.entered = entered;
        this.semaphore = job.semaphore();
        seen.forEach(each -> this.seen.put(each.id(), each));
    }

    /** How the job ends, if the plan ends it. */
    @Nullable
    Closed closed() {
        return closed;
    }

    /** @param later transitions that another plan will take */
    void take(List<NodeTransition> transitions, List<NodeTransition> later) throws SQLException {
        transitions.forEach(joins::expect);
        later.forEach(joins::expect);
        for (NodeTransition transition : transitions) {
            joins.take(transition);
            take(ofPartner(transition));
        }
    }

    /** A participant that rejects a request fails the node. */
    private NodeTransition ofPartner(NodeTransition transition) {
        if (transition.told() instanceof NodeEvent.Signal signal
                && type.worker(transition.activity().name()) != null) {
            String reason = PartnerAnswer.read(signal.payload()).reason();
            if (reason != null) {
                return new NodeTransition(
                        transition.posting(), new NodeEvent.Failure(Failures.clean(reason)), transition.owner());
            }
        }
        return transition;
    }

    private void take(NodeTransition transition) throws SQLException {
        Entered before = entered.get(transition.posting().guid());
        int counted = entries.computeIfAbsent(transition.activity(), this::entriesOf);
        if (counted >= Digit.LEG2_ENTRIES.maximum()) {
            escalate(transition, Digit.LEG2_ENTRIES);
            refused.add(transition.posting());
            return;
        }
        entries.put(transition.activity(), counted + 1);
        if (before != null && before.ledger().childrenSpawned()) {
            legs.add(leg(transition, 0, null, null, null).only(true, Set.of(Step.COMPLETION_TASKS)));
            return;
        }
        int ordinal = before == null ? counted : before.ordinal();
        ordinals.put(transition.posting().guid(), ordinal);
        if (closed != null || job.closed()) {
            legs.add(leg(transition, 0, null, bytesOf(transition.told()), errorOf(transition.told())));
        } else {
            plan(transition, ordinal);
        }
    }

    private void plan(NodeTransition transition, int ordinal) throws SQLException {
        String name = transition.activity().name();
        if (transition.told() instanceof NodeEvent.Refused refused) {
            end(transition, JobOutcome.FAILED, refused.output(), "node '" + name + "': " + refused.reason());
            return;
        }
        PlacedNode place = type.shape().find(name).orElse(null);
        if (place == null) {
            end(transition, JobOutcome.FAILED, null, type.changed(name));
            return;
        }
        if (type.shape().loops().roundsAtOnce(transition.activity(), ordinal) > MAX_ROUNDS_AT_ONCE) {
            end(
                    transition,
                    JobOutcome.FAILED,
                    null,
                    "node '" + name + "' was cycled back to " + MAX_ROUNDS_AT_ONCE
                            + " times without a wait: put a timer, a signal or work on the way to its cycle");
            return;
        }
        if (transition.told() instanceof NodeEvent.Failure failure && !place.handlesFailure()) {
            fail(transition, place, failure);
            return;
        }
        byte @Nullable [] output = null;
        try {
            output = outputOf(place.node(), transition.told(), ordinal);
            see(transition.activity(), ordinal, decode(output));
            if (place.node() instanceof Node.Interrupt interrupt) {
                interrupt(transition, interrupt, output);
                return;
            }
            PlannedEffects planned = new PlannedEffects();
            boolean isFinal = follow(place, transition, ordinal, planned);
            if (transition.told() instanceof NodeEvent.Failure failure && !planned.handled) {
                fail(transition, place, failure);
                return;
            }
            int delta = planned.opened - (isFinal ? 1 : 0);
            if (delta != 0 && semaphore + delta == job.threshold()) {
                end(transition, JobOutcome.COMPLETED, output, null);
            } else {
                effects.add(planned);
                legs.add(leg(transition, delta, null, output, errorOf(transition.told())));
            }
            semaphore += delta;
        } catch (ExpressionException
                | CodecFailedException
                | LimitKeyException
                | UnknownWorkflowException
                | PayloadTooLargeException e) {
            end(transition, JobOutcome.FAILED, output, "after node '" + place.name() + "': " + e.getMessage());
        }
    }

    /** Inside the dimension that a node opens, this output stays, whatever the next one is; outside, the last one counts. */
    private void see(ActivityId activity, int ordinal, @Nullable Object output) {
        outputs.put(activity, output);
        String opened = type.shape().opened(activity.path(), activity.name(), ordinal);
        outputs.put(new ActivityId(activity.job(), opened, activity.name()), output);
    }

    private void fail(NodeTransition transition, PlacedNode place, NodeEvent.Failure failure) throws SQLException {
        end(transition, JobOutcome.FAILED, null, "node '" + place.name() + "' failed: " + failure.reason());
    }

    /** Plans what follows; returns whether this was the last event of the activity. */
    private boolean follow(PlacedNode place, NodeTransition transition, int ordinal, PlannedEffects planned)
            throws SQLException {
        ActivityId activity = transition.activity();
        if (place.node() instanceof Node.Cycle cycle) {
            String path = Dimension.outside(activity.path(), cycle.back());
            PlacedNode back = type.shape().place(cycle.back());
            ActivityId again = new ActivityId(job.id(), path, cycle.back());
            spawner.enterAgain(back, again, new Identity(activity, 1), context(activity.path()), transition, planned);
            return true;
        }
        String path = type.shape().opened(activity.path(), place.name(), ordinal);
        TransitionRouter ways = new TransitionRouter(this, transition, planned);
        planned.handled = ways.follow(place, path);
        boolean isFinal = true;
        if (place.node() instanceof Node.Hook hook && transition.told() instanceof NodeEvent.Signal) {
            int turn = turn(hook, transition);
            if (turn + 1 < hook.takes()) {
                spawner.waitOn(hook, activity, new Identity(activity, turn + 1L), planned);
                isFinal = false;
            }
        }
        ways.finish();
        return isFinal;
    }

    private static int turn(Node.Hook hook, NodeTransition transition) {
        for (int turn = 0; turn < hook.takes(); turn++) {
            if (Guid.of(transition.activity(), turn).equals(transition.posting().guid())) {
                return turn;
            }
        }
        return hook.takes() - 1;
    }

    private void interrupt(NodeTransition transition, Node.Interrupt interrupt, byte @Nullable [] output)
            throws SQLException {
        Expression reason = interrupt.reason();
        Object said = reason == null
                ? null
                : reason.evaluate(context(transition.activity().path()));
        String text = said == null ? "interrupted at node '" + interrupt.name() + "'" : said.toString();
        boolean completes = interrupt.outcome() == JobOutcome.COMPLETED;
        end(transition, interrupt.outcome(), output, completes ? null : text);
    }

    /** Ends the job. A completed job returns the graph's output; if that cannot be evaluated, the job fails after all. */
    private void end(NodeTransition transition, JobOutcome outcome, byte @Nullable [] output, @Nullable String error)
            throws SQLException {
        byte @Nullable [] returned = null;
        JobOutcome ending = outcome;
        String reason = error;
        Expression mapping = type.graph().output();
        if (outcome == JobOutcome.COMPLETED) {
            try {
                returned = Payloads.encode(codec, mapping == null ? null : mapping.evaluate(lastContext()));
            } catch (ExpressionException | CodecFailedException | PayloadTooLargeException e) {
                ending = JobOutcome.FAILED;
                reason = "output of the job: " + e.getMessage();
            }
        }
        String readable = reason == null ? null : Failures.clean(reason);
        legs.add(leg(transition, 0, ending, output, readable));
        closed = new Closed(job.id(), ending, returned, readable);
    }

    /** A counter is full: nothing more is entered, and the job ends by a separate transition that says why. */
    private void escalate(NodeTransition transition, Digit digit) {
        if (closed == null && !job.closed()) {
            ActivityId activity = ActivityId.ceiling(job.id());
            String reason = "escalation: node '" + transition.activity().name() + "' has been told " + digit.maximum()
                    + " things, which is all its ledger can count";
            effects.dispatch(new NodeEntry(activity, "ceiling", true, null, null, null, null));
            legs.add(LegTwo.ending(activity, 0, JobOutcome.FAILED, null, reason));
            closed = new Closed(job.id(), JobOutcome.FAILED, null, reason);
        }
    }

    /** The workflow of the job, with its version. */
    String workflow() {
        return type.graph().queue();
    }

    boolean isChild() {
        return job.isChild();
    }

    NodeSpawner spawner() {
        return spawner;
    }

    Joins joins() {
        return joins;
    }

    GraphShape shape() {
        return type.shape();
    }

    JobId job() {
        return job.id();
    }

    /** The data that expressions see in a dimension: the input, and the outputs in this dimension and the enclosing ones. */
    Map<String, @Nullable Object> context(String path) {
        return context(Map.of(), path);
    }

    /** A join may live further out than its branches, and sees their last round too. */
    Map<String, @Nullable Object> joinContext(PlacedNode join, String path) throws SQLException {
        boolean leaves = !type.shape().loops().leftFor(join.name()).isEmpty();
        return context(leaves ? latest(path) : Map.of(), path);
    }

    /** The job's output is evaluated over the last rounds, whichever of its branches ends last. */
    private Map<String, @Nullable Object> lastContext() throws SQLException {
        return context(latest(""), "");
    }

    /** The last round of each node at the path and further in, including outputs of this plan that are not written yet. */
    private Map<String, @Nullable Object> latest(String path) throws SQLException {
        Map<String, String> rounds = new HashMap<>();
        Map<String, @Nullable Object> latest = new HashMap<>();
        for (Seen each : reader.newest(path)) {
            rounds.put(each.id().name(), each.id().path());
            latest.put(each.id().name(), decode(each.output()));
        }
        outputs.forEach((activity, output) -> {
            String before = rounds.get(activity.name());
            boolean isUnder = Dimension.around(activity.path()).stream()
                    .anyMatch(each -> each.path().equals(path));
            if (isUnder && (before == null || Dimension.ROUNDS.compare(before, activity.path()) <= 0)) {
                rounds.put(activity.name(), activity.path());
                latest.put(activity.name(), output);
            }
        });
        return latest;
    }

    private Map<String, @Nullable Object> context(Map<String, @Nullable Object> further, String path) {
        Map<String, @Nullable Object> context = new LinkedHashMap<>(further);
        for (Dimension each : Dimension.around(path)) {
            for (Seen one : seen.values()) {
                if (one.id().path().equals(each.path()) && one.output() != null) {
                    context.put(one.id().name(), decode(one.output()));
                }
            }
            outputs.forEach((activity, output) -> {
                if (activity.path().equals(each.path())) {
                    context.put(activity.name(), output);
                }
            });
        }
        context.put(GraphContext.INPUT, decode(job.input()));
        return context;
    }

    private byte @Nullable [] outputOf(Node node, NodeEvent told, int ordinal) {
        if (told instanceof NodeEvent.Failure failure) {
            return Payloads.encode(codec, Map.of(GraphContext.ERROR, failure.reason()));
        }
        return switch (node) {
            case Node.Trigger trigger -> job.input();
            case Node.Hook hook -> hookOutput(hook, told, ordinal);
            case Node.Worker worker -> told instanceof NodeEvent.Signal signal ? answer(signal) : bytesOf(told);
            case Node.Await await -> bytesOf(told);
            case Node.Signal signal -> bytesOf(told);
            case Node.Cycle cycle -> null;
            case Node.Interrupt interrupt -> null;
        };
    }

    private byte[] answer(NodeEvent.Signal signal) {
        byte[] json = PartnerAnswer.read(signal.payload()).payload();
        return Payloads.encode(codec, PLAIN.<@Nullable Object>decode(json, Object.class));
    }

    private byte[] hookOutput(Node.Hook hook, NodeEvent told, int ordinal) {
        Map<String, @Nullable Object> output = new LinkedHashMap<>();
        output.put(GraphContext.TIMED_OUT, !(told instanceof NodeEvent.Signal));
        output.put(GraphContext.ROUND, ordinal);
        if (told instanceof NodeEvent.Signal signal) {
            String name = hook.task() == null ? GraphContext.SIGNAL : GraphContext.ANSWER;
            output.put(name, decode(signal.payload()));
        }
        return Payloads.encode(codec, output);
    }

    private @Nullable Object decode(byte @Nullable [] bytes) {
        return bytes == null ? null : codec.<@Nullable Object>decode(bytes, Object.class);
    }

    private static byte @Nullable [] bytesOf(NodeEvent told) {
        return switch (told) {
            case NodeEvent.Output output -> output.bytes();
            case NodeEvent.Signal signal -> signal.payload();
            case NodeEvent.Failure failure -> null;
            case NodeEvent.Refused refused -> refused.output();
            case NodeEvent.Again again -> null;
            case NodeEvent.Due due -> null;
        };
    }

    private static @Nullable String errorOf(NodeEvent told) {
        return switch (told) {
            case NodeEvent.Failure failure -> failure.reason();
            case NodeEvent.Refused refused -> refused.reason();
            case NodeEvent.Output output -> null;
            case NodeEvent.Signal signal -> null;
            case NodeEvent.Again again -> null;
            case NodeEvent.Due due -> null;
        };
    }

    private int entriesOf(ActivityId activity) {
        return Objects.requireNonNull(seen.get(activity)).ledger().legTwoEntries();
    }

    private LegTwo leg(
            NodeTransition transition,
            int delta,
            @Nullable JobOutcome outcome,
            byte @Nullable [] output,
            @Nullable String error) {
        Lease posting = transition.posting();
        LegTwo leg = LegTwo.answering(posting, delta, outcome, output, error)
                .said(transition.resultDigest())
                .failed(transition.told() instanceof NodeEvent.Failure failure ? failure.fault() : null);
        return type.shape().opens(posting.activity().name()) ? leg.opening() : leg;
    }
}
