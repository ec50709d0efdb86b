package dev.tallystick.engine;

import dev.tallystick.engine.CollationStore.Recorded;
import dev.tallystick.engine.PostingStore.Held;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Applies {@link GraphStep}s (results of work, due work, failed attempts): many of many jobs in one batch, and several of one
 * job. It locks the jobs first, then the postings, whose fences decide, and then writes the ledgers.
 *
 * <p>Identity before state: a step repeated after a lost reply gets the first answer, even if the posting is gone by now.
 */
final class GraphMover implements Primitive<GraphStep, GraphMoved> {

    private final CollationStore collation;
    private final PostingStore postings;
    private final GraphStore graphs;
    private final GraphWriter writer;
    private final GraphTasks tasks;
    private final FailedAttemptStore failedAttempts = new FailedAttemptStore();

    GraphMover(
            CollationStore collation, PostingStore postings, GraphStore graphs, GraphWriter writer, GraphTasks tasks) {
        this.collation = collation;
        this.postings = postings;
        this.graphs = graphs;
        this.writer = writer;
        this.tasks = tasks;
    }

    @Override
    public String name() {
        return "graph step";
    }

    @Override
    public int rank() {
        return 3;
    }

    /** Several steps of one job may share a batch, but not two of one posting. */
    @Override
    public Object orderKey(GraphStep step) {
        return step.posting().guid();
    }

    @Override
    public Object laneKey(GraphStep step) {
        return step.job();
    }

    @Override
    public long bytes(GraphStep step) {
        return switch (step.told()) {
            case GraphTold.Output output -> output.bytes() == null ? 0 : output.bytes().length;
            case GraphTold.Failure failure -> failure.fault().bytes();
            case GraphTold.Again again -> again.fault().bytes();
            default -> 0;
        };
    }

    @Override
    public List<@Nullable GraphMoved> apply(Tx tx, List<GraphStep> steps) throws SQLException {
        List<GraphStep> unhindered = tasks.free(tx, steps);
        List<JobId> jobs =
                unhindered.stream().map(GraphStep::job).distinct().sorted().toList();
        Set<JobId> locked = collation.lock(tx, jobs, tx.mayWait());
        List<GraphStep> free =
                unhindered.stream().filter(step -> locked.contains(step.job())).toList();
        Map<Guid, GraphMoved> answers = new HashMap<>();
        if (!free.isEmpty()) {
            List<GraphStep> standing = standing(tx, free, answers);
            postpone(tx, standing, answers);
            escalate(tx, standing, answers);
            move(
                    tx,
                    standing.stream()
                            .filter(step -> !answers.containsKey(step.posting().guid()))
                            .toList(),
                    answers);
        }
        List<@Nullable GraphMoved> inOrder = new ArrayList<>(steps.size());
        steps.forEach(step -> inOrder.add(answers.get(step.posting().guid())));
        return inOrder;
    }

    /** The steps whose fence is still current. Answers the others. */
    private List<GraphStep> standing(Tx tx, List<GraphStep> steps, Map<Guid, GraphMoved> answers) throws SQLException {
        Map<Guid, Held> held =
                postings.hold(tx, steps.stream().map(GraphStep::posting).toList());
        List<GraphStep> standing = new ArrayList<>(steps.size());
        List<GraphStep> fallen = new ArrayList<>();
        for (GraphStep step : steps) {
            Held now = held.get(step.posting().guid());
            if (now == null || now.fence() != step.posting().fence()) {
                fallen.add(step);
            } else {
                standing.add(now.jobClosed() ? step.afterClosing() : step);
            }
        }
        if (!fallen.isEmpty()) {
            answerFallen(tx, fallen, answers);
        }
        return standing;
    }

    private void answerFallen(Tx tx, List<GraphStep> fallen, Map<Guid, GraphMoved> answers) throws SQLException {
        Map<Guid, Recorded> recorded = new HashMap<>(
                collation.recorded(tx, fallen.stream().map(GraphStep::posting).toList()));
        List<GraphStep> unrecorded = fallen.stream()
                .filter(step -> step.said() != null)
                .filter(step -> !recorded.containsKey(step.posting().guid()))
                .toList();
        if (!unrecorded.isEmpty()) {
            failedAttempts.find(tx, unrecorded).forEach((guid, said) -> recorded.put(guid, new Recorded(false, said)));
        }
        for (GraphStep step : fallen) {
            Recorded before = recorded.get(step.posting().guid());
            answers.put(step.posting().guid(), before == null ? new GraphMoved.LeaseLost() : again(tx, step, before));
        }
    }

    /** The step's first answer, if it reports the same result as then. */
    private GraphMoved again(Tx tx, GraphStep step, Recorded before) throws SQLException {
        if (step.said() != null && before.said() != null && !step.said().equals(before.said())) {
            return new GraphMoved.AnotherResult();
        }
        if (before.late()) {
            return new GraphMoved.JobClosed();
        }
        String owner = step.owner();
        List<LeasedWork> leased = owner == null ? List.of() : graphs.leasedBy(tx, Set.of(step.job()), owner);
        return new GraphMoved.Done(leased, true);
    }

    private void postpone(Tx tx, List<GraphStep> standing, Map<Guid, GraphMoved> answers) throws SQLException {
        List<GraphStep> again = standing.stream()
                .filter(step -> step.told() instanceof GraphTold.Again)
                .toList();
        if (!again.isEmpty()) {
            graphs.again(tx, again);
            List<GraphStep> said =
                    again.stream().filter(step -> step.said() != null).toList();
            if (!said.isEmpty()) {
                failedAttempts.keep(tx, said);
            }
            again.forEach(step -> answers.put(step.posting().guid(), new GraphMoved.Done(List.of(), false)));
        }
    }

    private void escalate(Tx tx, List<GraphStep> standing, Map<Guid, GraphMoved> answers) throws SQLException {
        tasks.escalate(tx, standing).forEach(guid -> answers.put(guid, new GraphMoved.Done(List.of(), false)));
    }

    private void move(Tx tx, List<GraphStep> moving, Map<Guid, GraphMoved> answers) throws SQLException {
        Map<Guid, GraphStep> steps = new LinkedHashMap<>();
        moving.forEach(step -> steps.put(step.posting().guid(), step));
        if (steps.isEmpty()) {
            return;
        }
        tasks.expire(tx, moving);
        GraphWriter.Written written = writer.write(
                tx, steps.values().stream().map(GraphStep::transition).toList());
        Map<JobId, List<LeasedWork>> leased = leased(tx, written);
        Set<JobId> told = new HashSet<>();
        for (GraphStep step : steps.values()) {
            boolean first = told.add(step.job());
            boolean wasClosed = written.closedBefore().contains(step.job());
            answers.put(
                    step.posting().guid(),
                    wasClosed
                            ? new GraphMoved.JobClosed()
                            : new GraphMoved.Done(
                                    first ? written.closed().get(step.job()) : null,
                                    written.workflows().get(step.job()),
                                    first ? leased.getOrDefault(step.job(), List.of()) : List.of(),
                                    first && written.engineIsDue().contains(step.job())));
        }
    }

    /** The work that was leased when it was spawned, with the data needed to do it. */
    private Map<JobId, List<LeasedWork>> leased(Tx tx, GraphWriter.Written written) throws SQLException {
        if (written.leased().isEmpty()) {
            return Map.of();
        }
        return graphs.work(tx, written.leased()).stream()
                .collect(Collectors.groupingBy(work -> work.lease().job()));
    }
}
