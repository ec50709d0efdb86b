package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.LeasedWork;
import dev.tallystick.engine.record.CollationStore;
import dev.tallystick.engine.record.CollationStore.Recorded;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.engine.record.PostingStore.Held;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
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
 * Applies {@link NodeReport}s (results of work, due work, failed attempts): many of many jobs in one batch, and several of one
 * job. It locks the jobs first, then the postings, whose fences decide, and then writes the ledgers.
 *
 * <p>Identity before state: a step repeated after a lost reply gets the first answer, even if the posting is gone by now.
 */
final class NodeReportWriter implements Primitive<NodeReport, NodeReportResult> {

    private final CollationStore collation;
    private final PostingStore postings;
    private final NodeStore graphs;
    private final TransitionWriter writer;
    private final HookTasks tasks;
    private final FailedAttemptStore failedAttempts = new FailedAttemptStore();

    NodeReportWriter(
            CollationStore collation,
            PostingStore postings,
            NodeStore graphs,
            TransitionWriter writer,
            HookTasks tasks) {
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
    public Object orderKey(NodeReport step) {
        return step.posting().guid();
    }

    @Override
    public Object laneKey(NodeReport step) {
        return step.job();
    }

    @Override
    public long bytes(NodeReport step) {
        return switch (step.told()) {
            case NodeEvent.Output output -> output.bytes() == null ? 0 : output.bytes().length;
            case NodeEvent.Failure failure -> failure.fault().bytes();
            case NodeEvent.Again again -> again.fault().bytes();
            default -> 0;
        };
    }

    @Override
    public List<@Nullable NodeReportResult> apply(Tx tx, List<NodeReport> steps) throws SQLException {
        List<NodeReport> unhindered = tasks.free(tx, steps);
        List<JobId> jobs =
                unhindered.stream().map(NodeReport::job).distinct().sorted().toList();
        Set<JobId> locked = collation.lock(tx, jobs, tx.mayWait());
        List<NodeReport> free =
                unhindered.stream().filter(step -> locked.contains(step.job())).toList();
        Map<Guid, NodeReportResult> answers = new HashMap<>();
        if (!free.isEmpty()) {
            List<NodeReport> standing = standing(tx, free, answers);
            postpone(tx, standing, answers);
            escalate(tx, standing, answers);
            move(
                    tx,
                    standing.stream()
                            .filter(step -> !answers.containsKey(step.posting().guid()))
                            .toList(),
                    answers);
        }
        List<@Nullable NodeReportResult> inOrder = new ArrayList<>(steps.size());
        steps.forEach(step -> inOrder.add(answers.get(step.posting().guid())));
        return inOrder;
    }

    /** The steps whose fence is still current. Answers the others. */
    private List<NodeReport> standing(Tx tx, List<NodeReport> steps, Map<Guid, NodeReportResult> answers)
            throws SQLException {
        Map<Guid, Held> held =
                postings.hold(tx, steps.stream().map(NodeReport::posting).toList());
        List<NodeReport> standing = new ArrayList<>(steps.size());
        List<NodeReport> fallen = new ArrayList<>();
        for (NodeReport step : steps) {
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

    private void answerFallen(Tx tx, List<NodeReport> fallen, Map<Guid, NodeReportResult> answers) throws SQLException {
        Map<Guid, Recorded> recorded = new HashMap<>(
                collation.recorded(tx, fallen.stream().map(NodeReport::posting).toList()));
        List<NodeReport> unrecorded = fallen.stream()
                .filter(step -> step.resultDigest() != null)
                .filter(step -> !recorded.containsKey(step.posting().guid()))
                .toList();
        if (!unrecorded.isEmpty()) {
            failedAttempts
                    .find(tx, unrecorded)
                    .forEach((guid, resultDigest) -> recorded.put(guid, new Recorded(false, resultDigest)));
        }
        for (NodeReport step : fallen) {
            Recorded before = recorded.get(step.posting().guid());
            answers.put(
                    step.posting().guid(), before == null ? new NodeReportResult.LeaseLost() : again(tx, step, before));
        }
    }

    /** The step's first answer, if it reports the same result as then. */
    private NodeReportResult again(Tx tx, NodeReport step, Recorded before) throws SQLException {
        if (step.resultDigest() != null
                && before.resultDigest() != null
                && !step.resultDigest().equals(before.resultDigest())) {
            return new NodeReportResult.AnotherResult();
        }
        if (before.late()) {
            return new NodeReportResult.JobClosed();
        }
        String owner = step.owner();
        List<LeasedWork> leased = owner == null ? List.of() : graphs.leasedBy(tx, Set.of(step.job()), owner);
        return new NodeReportResult.Done(leased, true);
    }

    private void postpone(Tx tx, List<NodeReport> standing, Map<Guid, NodeReportResult> answers) throws SQLException {
        List<NodeReport> again = standing.stream()
                .filter(step -> step.told() instanceof NodeEvent.Again)
                .toList();
        if (!again.isEmpty()) {
            graphs.again(tx, again);
            List<NodeReport> said =
                    again.stream().filter(step -> step.resultDigest() != null).toList();
            if (!said.isEmpty()) {
                failedAttempts.keep(tx, said);
            }
            again.forEach(step -> answers.put(step.posting().guid(), new NodeReportResult.Done(List.of(), false)));
        }
    }

    private void escalate(Tx tx, List<NodeReport> standing, Map<Guid, NodeReportResult> answers) throws SQLException {
        tasks.escalate(tx, standing).forEach(guid -> answers.put(guid, new NodeReportResult.Done(List.of(), false)));
    }

    private void move(Tx tx, List<NodeReport> moving, Map<Guid, NodeReportResult> answers) throws SQLException {
        Map<Guid, NodeReport> steps = new LinkedHashMap<>();
        moving.forEach(step -> steps.put(step.posting().guid(), step));
        if (steps.isEmpty()) {
            return;
        }
        tasks.expire(tx, moving);
        TransitionWriter.Written written = writer.write(
                tx, steps.values().stream().map(NodeReport::transition).toList());
        Map<JobId, List<LeasedWork>> leased = leased(tx, written);
        Set<JobId> told = new HashSet<>();
        for (NodeReport step : steps.values()) {
            boolean first = told.add(step.job());
            boolean wasClosed = written.closedBefore().contains(step.job());
            answers.put(
                    step.posting().guid(),
                    wasClosed
                            ? new NodeReportResult.JobClosed()
                            : new NodeReportResult.Done(
                                    first ? written.closed().get(step.job()) : null,
                                    written.workflows().get(step.job()),
                                    first ? leased.getOrDefault(step.job(), List.of()) : List.of(),
                                    first && written.engineIsDue().contains(step.job())));
        }
    }

    /** The work that was leased when it was spawned, with the data needed to do it. */
    private Map<JobId, List<LeasedWork>> leased(Tx tx, TransitionWriter.Written written) throws SQLException {
        if (written.leased().isEmpty()) {
            return Map.of();
        }
        return graphs.work(tx, written.leased()).stream()
                .collect(Collectors.groupingBy(work -> work.lease().job()));
    }
}
