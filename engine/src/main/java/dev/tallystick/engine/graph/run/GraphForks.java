package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.GraphShape;
import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.Node;
import dev.tallystick.engine.graph.run.GraphForkStore.Entry;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Identity;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.NewJob;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.Lanes;
import dev.tallystick.engine.record.RerunStore;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.ForkRefusedException.Reason;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Starts a job of a graph with the record of a closed one. The new job moves like any other, starting at its trigger, but
 * receives recorded events immediately: so its ledgers, its semaphore and its joins are those of a job that did the work. A
 * node that the graph leads to without a recorded event starts afresh; nodes beyond it are not reached.
 *
 * <p>Invariant: everything recorded beside and before the fork point is kept, in its dimension. If that is impossible because
 * the graph now takes other transitions, nothing is written.
 */
public final class GraphForks {

    /** Replaying a longer record would hold a transaction open for too long. */
    static final int MAX_TOLD = 10_000;

    private final TransitionWriter writer;
    private final GraphRegistry registry;
    private final Lanes lanes;
    private final GraphForkStore store = new GraphForkStore();

    GraphForks(TransitionWriter writer, GraphRegistry registry, Lanes lanes) {
        this.writer = writer;
        this.registry = registry;
        this.lanes = lanes;
    }

    /** Where the record is cut: at the node of this name, some of whose entries are dropped. */
    private record Cut(@Nullable String name, Predicate<Entry> dropped) {}

    /**
     * Keeps everything that does not follow from this activity.
     *
     * @param place the name of a node, with {@code @} and the dimension if it was entered in several
     */
    public void before(Tx tx, GraphType type, JobId from, JobId to, String place) throws SQLException {
        List<Entry> record = record(tx, from);
        Entry found = find(from, record, place);
        Cut cut = new Cut(
                found.name(),
                each -> each.name().equals(found.name()) && each.path().equals(found.path()));
        follow(tx, type, from, to, record, cut);
    }

    /** Keeps everything that succeeded. */
    public void beforeFailure(Tx tx, GraphType type, JobId from, JobId to) throws SQLException {
        List<Entry> record = record(tx, from);
        String failed = record.stream()
                .filter(Entry::ended)
                .map(Entry::name)
                .findFirst()
                .orElse(null);
        follow(tx, type, from, to, record, new Cut(failed, Entry::ended));
    }

    private List<Entry> record(Tx tx, JobId job) throws SQLException {
        List<Entry> record = store.record(tx, job, MAX_TOLD + 1);
        if (record.size() > MAX_TOLD) {
            throw new ForkRefusedException(
                    job,
                    Reason.NOTHING_TO_GO_ON_FROM,
                    "has more on record than the " + MAX_TOLD + " things that a fork can begin with: rerun it");
        }
        return record;
    }

    /** The graph with which the job's record is replayed. */
    public GraphType typeOf(RerunStore.Source source, JobId job) {
        GraphType type = registry.type(Queues.of(source.workflow(), source.version()));
        if (type == null) {
            throw new ForkRefusedException(
                    job,
                    Reason.NOTHING_TO_GO_ON_FROM,
                    "is one of the graph '" + source.workflow() + "' version " + source.version()
                            + ", which is not registered here: register it, or fork the job where it is");
        }
        return type;
    }

    /** What is on record is followed at once, so a fork cannot wait for its turn in the lane that it was just put into. */
    public void demandTurn(Tx tx, NewJob fork, JobId from) throws SQLException {
        if (fork.hasLane() && !lanes.admitNow(tx, fork, registry.rule(fork.workflow()))) {
            throw new ForkRefusedException(
                    from,
                    Reason.OVER_LIMIT,
                    "cannot be forked now, because " + fork.workflow() + " has a limit and others with key '"
                            + fork.lane() + "' run or come first: fork it once they have ended, or rerun it");
        }
    }

    private void follow(Tx tx, GraphType type, JobId from, JobId to, List<Entry> record, Cut cut) throws SQLException {
        ForkableRecord past = new ForkableRecord(from, record, cut.dropped());
        ActivityId trigger = new ActivityId(to, "", type.graph().trigger().name());
        if (past.recall(new Identity(trigger, 0)).isEmpty()) {
            return;
        }
        Lease begin = new Lease(trigger, Guid.of(trigger, 0), 0);
        TransitionWriter.Written written =
                writer.write(tx, List.of(new NodeTransition(begin, new NodeEvent.Due(), null)), past);
        Closed closed = written.closed().get(to);
        if (closed != null) {
            throw new ForkRefusedException(
                    from,
                    Reason.NOTHING_TO_GO_ON_FROM,
                    "would end again at once, " + closed.outcome().text()
                            + (closed.error() == null ? "" : " (" + closed.error() + ")")
                            + ": fork it before what leads there, or rerun it");
        }
        demandSameWay(tx, type.shape(), past, from, to, cut);
        copySignals(tx, past, from, to);
    }

    /** Fails if the replay diverged: conditions may depend on time or chance, and parallel rounds may overtake each other. */
    private void demandSameWay(Tx tx, GraphShape shape, ForkableRecord past, JobId from, JobId to, Cut cut)
            throws SQLException {
        Set<String> beyond = cut.name() == null ? Set.of() : beyond(shape, cut.name());
        Map<Guid, Integer> now = store.dimensions(tx, to);
        for (Map.Entry<Guid, Entry> each : past.kept().entrySet()) {
            Entry entry = each.getValue();
            Guid told = past.recalled().get(each.getKey());
            boolean same = told == null
                    ? beyond.contains(entry.name())
                    : Integer.valueOf(entry.ordinal()).equals(now.get(told));
            if (!same) {
                throw new ForkRefusedException(
                        from,
                        Reason.NOTHING_TO_GO_ON_FROM,
                        "goes another way when its record is followed, and does not come to '" + entry.place()
                                + "' as it did; its conditions depend on time or chance: rerun it");
            }
        }
    }

    /** Every node that may follow from this one, in further rounds too. */
    private static Set<String> beyond(GraphShape shape, String name) {
        Set<String> beyond = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(Set.of(name));
        while (!open.isEmpty()) {
            shape.find(open.pop()).filter(place -> beyond.add(place.name())).ifPresent(place -> {
                place.next().forEach(way -> open.push(way.to()));
                if (place.node() instanceof Node.Cycle cycle) {
                    open.push(cycle.back());
                }
            });
        }
        return beyond;
    }

    private void copySignals(Tx tx, ForkableRecord past, JobId from, JobId to) throws SQLException {
        Map<Guid, Guid> waits = new HashMap<>();
        past.recalled().forEach((guid, told) -> {
            Entry entry = past.kept().get(guid);
            if (entry != null && entry.signal() != null) {
                waits.put(guid, told);
            }
        });
        if (!waits.isEmpty()) {
            store.copyTaken(tx, from, to, waits);
        }
    }

    private static Entry find(JobId job, List<Entry> record, String place) {
        int at = place.indexOf('@');
        String name = at < 0 ? place : place.substring(0, at);
        Map<String, Entry> found = new HashMap<>();
        record.stream()
                .filter(each -> each.name().equals(name))
                .filter(each -> at < 0 || each.path().equals(place.substring(at + 1)))
                .forEach(each -> found.putIfAbsent(each.path(), each));
        if (found.size() == 1) {
            return found.values().iterator().next();
        }
        String there = record.stream().map(Entry::place).distinct().limit(50).collect(Collectors.joining(", "));
        throw new ForkRefusedException(
                job,
                Reason.NO_SUCH_STEP,
                found.isEmpty()
                        ? "has not been at '" + place + "'; it was at " + there
                        : "was at '" + name + "' in several dimensions: name one of them; it was at " + there);
    }
}
