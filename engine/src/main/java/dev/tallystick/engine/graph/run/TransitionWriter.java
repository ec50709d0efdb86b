package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.model.ChildOrder;
import dev.tallystick.engine.model.Collated;
import dev.tallystick.engine.model.Failures;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.PartnerGateway;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.model.UserCode;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.DeadLetterStore;
import dev.tallystick.engine.record.FaultStore;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.engine.record.TaskStore;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes transitions of graphs to the ledgers, wave by wave: whatever the engine itself can do as a result of one wave is the
 * next wave of the same transaction. The caller has locked the jobs and knows that the postings are current.
 */
public final class TransitionWriter {

    /** How many waves share a transaction. Further work is posted, so that no loop holds a lock for long. */
    static final int MAX_WAVES = 50;

    /** How long user code may take while others queue for the transaction, and while none do. */
    static final Duration IN_COMPANY = Duration.ofMillis(100);

    /** Shorter than the database lets a transaction wait: else it would end the transaction, and with it the reason. */
    static final Duration BY_ITSELF = SessionLimits.OWN.idle().minusSeconds(1);

    private final CollationStore collation;
    private final PostingStore postings;
    private final JobStore jobs;
    private final SignalStore signals;
    private final NodeStore graphs;
    private final Function<String, @Nullable GraphType> types;
    private final Function<ChildOrder, NewJob> children;
    private final PartnerGateway partners;
    private final Codec codec;
    private final Duration lease;
    private final UserCode userCode = new UserCode();
    private final SlowGraphs slow;
    private final DeadLetterStore letters = new DeadLetterStore();
    private final FaultStore faults = new FaultStore();
    private final TaskStore tasks = new TaskStore();

    public TransitionWriter(
            CollationStore collation,
            PostingStore postings,
            JobStore jobs,
            SignalStore signals,
            NodeStore graphs,
            Function<String, @Nullable GraphType> types,
            Function<ChildOrder, NewJob> children,
            PartnerGateway partners,
            Codec codec,
            Duration lease,
            SlowGraphs slow) {
        this.collation = collation;
        this.postings = postings;
        this.jobs = jobs;
        this.signals = signals;
        this.graphs = graphs;
        this.types = types;
        this.children = children;
        this.partners = partners;
        this.codec = codec;
        this.lease = lease;
        this.slow = slow;
    }

    /**
     * @param closed the ends of the jobs that this closed
     * @param workflows the workflows of the closed jobs, with their versions
     * @param closedBefore jobs that had already closed: their transitions are recorded and change nothing
     * @param leased the work that was leased when it was spawned
     * @param engineIsDue jobs that have left something for an engine to do
     */
    record Written(
            Map<JobId, Closed> closed,
            Map<JobId, String> workflows,
            Set<JobId> closedBefore,
            List<Lease> leased,
            Set<JobId> engineIsDue) {

        Written() {
            this(new HashMap<>(), new HashMap<>(), new HashSet<>(), new ArrayList<>(), new HashSet<>());
        }

        void note(NodeEntry dispatch) {
            NodeEntry.Posting posting = dispatch.posting();
            if (posting == null) {
                return;
            }
            if (posting.owner() != null) {
                leased.add(new Lease(dispatch.activity(), posting.guid(), 1));
            } else {
                engineIsDue.add(dispatch.activity().job());
            }
        }
    }

    Written write(Tx tx, List<NodeTransition> transitions) throws SQLException {
        return write(tx, transitions, ReplayedEvents.NONE);
    }

    /** As {@link #write(Tx, List)}, for jobs that start with a record. */
    Written write(Tx tx, List<NodeTransition> transitions, ReplayedEvents past) throws SQLException {
        Written written = new Written();
        List<NodeTransition> wave = heard(tx, transitions);
        Patience patience = new Patience(tx.othersQueue());
        for (int turn = 1; !wave.isEmpty(); turn++) {
            wave = past.inOrder(wave(tx, wave, new Turn(turn < MAX_WAVES, past, patience), written));
        }
        if (!written.closed().isEmpty()) {
            complete(tx, written.closed());
        }
        return written;
    }

    /** The rules for one wave: whether the engine does its own part immediately, and what is already on record. */
    private record Turn(boolean mayGoOn, ReplayedEvents past, Patience patience) {}

    /** How much longer a transaction waits for plans: a budget for all of its waves if others queue for it. */
    private static final class Patience {

        private static final Duration LEAST = Duration.ofMillis(10);

        private final boolean inCompany;
        private Duration left = IN_COMPANY;

        Patience(boolean inCompany) {
            this.inCompany = inCompany;
        }

        Duration forOneWave() {
            return !inCompany ? BY_ITSELF : left.compareTo(LEAST) < 0 ? LEAST : left;
        }

        void waited(long nanos) {
            left = left.minusNanos(nanos);
        }
    }

    private List<NodeTransition> wave(Tx tx, List<NodeTransition> wave, Turn turn, Written written)
            throws SQLException {
        List<Plan> plans = plan(tx, wave, turn, written);
        PlannedEffects all = new PlannedEffects();
        List<LegTwo> legs = new ArrayList<>();
        List<Lease> refused = new ArrayList<>();
        for (Plan plan : plans) {
            legs.addAll(plan.legs);
            refused.addAll(plan.refused);
            all.add(plan.effects);
            Closed closed = plan.closed();
            if (closed != null) {
                written.closed().put(closed.job(), closed);
                written.workflows().put(closed.job(), plan.workflow());
                if (plan.isChild()) {
                    written.engineIsDue().add(closed.job());
                }
            }
        }
        if (!all.dispatches.isEmpty()) {
            graphs.dispatch(tx, all.dispatches, lease);
        }
        if (!all.children.isEmpty()) {
            jobs.start(tx, all.children, lease);
        }
        if (!all.tasks.isEmpty()) {
            tasks.open(tx, all.tasks);
        }
        if (!legs.isEmpty()) {
            demandSameDimensions(collation.collate(tx, legs), plans);
            faults.note(tx, List.of(), legs);
        }
        if (!refused.isEmpty()) {
            postings.drop(tx, refused);
        }
        List<NodeTransition> next = new ArrayList<>(all.inline);
        if (!all.waits.isEmpty()) {
            next.addAll(taken(tx, all.waits));
        }
        if (!all.requests.isEmpty()) {
            next.addAll(post(tx, all.requests));
        }
        all.dispatches.forEach(written::note);
        all.children.forEach(child ->
                written.engineIsDue().add(Objects.requireNonNull(child.parent()).job()));
        next.removeIf(each -> written.closed().containsKey(each.job()));
        return next;
    }

    /** A request that cannot be posted fails its node. */
    private List<NodeTransition> post(Tx tx, List<PlannedEffects.PartnerWait> waits) throws SQLException {
        Map<UUID, String> refused = partners.post(
                tx, waits.stream().map(PlannedEffects.PartnerWait::request).toList());
        List<NodeTransition> failed = new ArrayList<>();
        for (PlannedEffects.PartnerWait wait : waits) {
            String reason = refused.get(wait.request().id());
            if (reason != null) {
                failed.add(new NodeTransition(wait.posting(), new NodeEvent.Failure(Failures.clean(reason)), null));
            }
        }
        return failed;
    }

    private List<Plan> plan(Tx tx, List<NodeTransition> wave, Turn turn, Written written) throws SQLException {
        Map<JobId, List<NodeTransition>> byJob = wave.stream()
                .collect(Collectors.groupingBy(NodeTransition::job, LinkedHashMap::new, Collectors.toList()));
        Map<JobId, NodeStore.Job> locked = graphs.jobs(tx, byJob.keySet());
        Map<JobId, List<NodeStore.Seen>> seen = graphs.seen(tx, wave).stream()
                .collect(Collectors.groupingBy(each -> each.id().job()));
        Map<Guid, NodeStore.Entered> entered = graphs.entered(tx, wave);
        List<Planning> wanted = new ArrayList<>();
        for (Map.Entry<JobId, List<NodeTransition>> each : byJob.entrySet()) {
            NodeStore.Job job = Objects.requireNonNull(locked.get(each.getKey()));
            if (job.closed() && !written.closed().containsKey(job.id())) {
                written.closedBefore().add(job.id());
            }
            wanted.add(new Planning(job, typeOf(job), each.getValue()));
        }
        Map<JobId, Plan> plans = new ConcurrentHashMap<>();
        plan(turn.patience(), wanted, (each, caller) -> {
            NodeStore.Job job = each.job();
            Plan plan = new Plan(
                    each.type(),
                    job,
                    seen.getOrDefault(job.id(), List.of()),
                    entered,
                    new NodeSpawner(job, each.type().graph(), codec, children, turn.mayGoOn(), turn.past()),
                    codec,
                    reader(tx, job.id(), caller));
            plan.take(each.transitions(), turn.past().heldBack());
            plans.put(job.id(), plan);
        });
        return wanted.stream()
                .map(each -> Objects.requireNonNull(plans.get(each.job().id())))
                .toList();
    }

    private Plan.Reader reader(Tx tx, JobId job, UserCode.Caller caller) {
        return new Plan.Reader() {
            @Override
            public List<NodeStore.Seen> newest(String path) throws SQLException {
                return caller.ask(() -> graphs.newest(tx, job, path));
            }

            @Override
            public List<Joins.Open> open() throws SQLException {
                return caller.ask(() -> graphs.open(tx, job));
            }
        };
    }

    /** The transitions to plan for a job. */
    private record Planning(NodeStore.Job job, GraphType type, List<NodeTransition> transitions) {

        /** Transitions that are only recorded evaluate no expression and call no codec. */
        boolean takesUserCode() {
            return !job.closed() && transitions.stream().anyMatch(each -> !(each.told() instanceof NodeEvent.Refused));
        }

        String graph() {
            return type.graph().queue();
        }
    }

    /**
     * Planning runs user code, so it happens off this thread and, if others queue for the transaction, only briefly: a batch
     * waits for all of its plans together no longer than for one. Jobs whose planning was held up by slow ones run separately,
     * as the slow ones do.
     */
    private void plan(Patience patience, List<Planning> wanted, UserCode.Work<Planning> work) throws SQLException {
        List<Planning> theirs = wanted.stream().filter(Planning::takesUserCode).toList();
        Duration longest = patience.forOneWave();
        if (patience.inCompany && !theirs.stream().filter(this::isSlow).toList().isEmpty()) {
            throw new SlowPlanException(longest);
        }
        if (!theirs.isEmpty()) {
            long begun = System.nanoTime();
            UserCode.Left<Planning> left = userCode.each(theirs, longest, work);
            patience.waited(System.nanoTime() - begun);
            left.late().forEach(each -> slow.add(each.graph()));
            Stream.of(left.late(), left.starved(), left.kept())
                    .flatMap(List::stream)
                    .forEach(each -> slow.add(each.job().id()));
            if (!left.isEmpty()) {
                throw !patience.inCompany && mayBePlannedAgain(left)
                        ? starved(longest)
                        : new SlowPlanException(longest);
            }
            theirs.forEach(each -> slow.planned(each.job().id()));
        }
        for (Planning each : wanted) {
            if (!each.takesUserCode()) {
                work.on(each, UserCode.HERE);
            }
        }
    }

    private boolean mayBePlannedAgain(UserCode.Left<Planning> left) {
        return left.late().isEmpty()
                && left.starved().stream()
                        .allMatch(each -> slow.mayStarve(each.job().id()));
    }

    /** The plan itself may be fast: it had no processor, or its codec waits for something. */
    private static DefiniteFailureException starved(Duration patience) {
        return new DefiniteFailureException(
                DefiniteFailureException.Reason.OVERLOADED,
                "the expressions of a graph and the codec did not end within " + patience.toMillis()
                        + " ms and hardly ran: the machine is too busy, or the codec waits for something",
                null);
    }

    private boolean isSlow(Planning planning) {
        if (!slow.has(planning.graph())) {
            return slow.has(planning.job().id());
        }
        slow.add(planning.job().id());
        return true;
    }

    /** A wait that ended because a signal was delivered to it receives that signal. */
    private List<NodeTransition> heard(Tx tx, List<NodeTransition> transitions) throws SQLException {
        List<Lease> awaited = transitions.stream()
                .filter(each -> each.told() instanceof NodeEvent.Due due && due.awaited() != null)
                .map(NodeTransition::posting)
                .toList();
        if (awaited.isEmpty()) {
            return transitions;
        }
        Map<Guid, byte[]> given = signals.givenTo(tx, awaited);
        return transitions.stream()
                .map(each -> {
                    byte[] payload = given.get(each.posting().guid());
                    return payload == null
                            ? each
                            : new NodeTransition(each.posting(), new NodeEvent.Signal(payload), each.owner());
                })
                .toList();
    }

    /** Takes signals that arrived before the waits. */
    List<NodeTransition> taken(Tx tx, List<SignalStore.Wait> waits) throws SQLException {
        Map<Guid, byte[]> payloads = signals.takeFor(tx, waits);
        List<NodeTransition> taken = new ArrayList<>();
        for (SignalStore.Wait wait : waits) {
            byte[] payload = payloads.get(wait.posting().guid());
            if (payload != null) {
                taken.add(new NodeTransition(wait.posting(), new NodeEvent.Signal(payload), null));
            }
        }
        return taken;
    }

    /** Plans rely on the dimensions that they predicted; the ledgers have the last word. */
    private static void demandSameDimensions(Map<Guid, Collated> collated, List<Plan> plans) {
        for (Plan plan : plans) {
            plan.ordinals.forEach((guid, foreseen) -> {
                Collated now = collated.get(guid);
                if (now == null || now.ordinal() != foreseen) {
                    throw new IllegalStateException("transition " + guid + " was foreseen in dimension " + foreseen
                            + " and is " + now + ": nothing is written");
                }
            });
        }
    }

    /** Step 3 of the transitions that closed their jobs: stores the outputs and ends everything that waits. */
    private void complete(Tx tx, Map<JobId, Closed> closed) throws SQLException {
        Map<JobId, byte[]> outputs = new HashMap<>();
        closed.forEach((job, ending) -> outputs.put(job, ending.output()));
        graphs.returns(tx, outputs);
        postings.dropWaiting(tx, closed.keySet());
        bury(tx, closed);
        cancelChildren(tx, closed.keySet());
    }

    private void bury(Tx tx, Map<JobId, Closed> closed) throws SQLException {
        List<JobId> failed = closed.values().stream()
                .filter(each -> each.outcome() == JobOutcome.FAILED)
                .map(Closed::job)
                .toList();
        if (!failed.isEmpty()) {
            letters.bury(tx, failed);
        }
    }

    private void cancelChildren(Tx tx, Collection<JobId> closed) throws SQLException {
        List<JobId> open = jobs.openChildren(tx, closed);
        if (!open.isEmpty()) {
            postings.postCancel(tx, open);
        }
    }

    private GraphType typeOf(NodeStore.Job job) {
        GraphType type = types.apply(Queues.of(job.workflow(), job.version()));
        if (type == null) {
            throw new UnknownWorkflowException(job.workflow());
        }
        return type;
    }
}
