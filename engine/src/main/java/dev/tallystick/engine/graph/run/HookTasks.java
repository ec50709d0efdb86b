package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.GraphType;
import dev.tallystick.engine.graph.Node;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.TaskStore;
import dev.tallystick.engine.record.TaskStore.Escalated;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles tasks of graph hooks whose time is up: the task moves to the next group, or expires in the transaction in which the
 * job continues without an answer. A task's ID is the GUID of its wait, and the fence of that wait counts the escalations.
 *
 * <p>Invariant: tasks are locked before jobs, as they are when people answer. So an answer either arrives before the time-out
 * or is refused because the task is over.
 */
public final class HookTasks {

    private final TaskStore tasks = new TaskStore();
    private final NodeStore graphs;
    private final Function<String, @Nullable GraphType> types;

    HookTasks(NodeStore graphs, Function<String, @Nullable GraphType> types) {
        this.graphs = graphs;
        this.types = types;
    }

    public static TaskId idOf(Guid wait) {
        return new TaskId(wait.value());
    }

    /** Locks the tasks whose time is up, and returns the steps that need not wait for another transaction. */
    List<NodeReport> free(Tx tx, List<NodeReport> steps) throws SQLException {
        List<TaskId> asked = asked(steps).stream()
                .map(HookTasks::task)
                .sorted(Comparator.comparing(TaskId::value))
                .toList();
        if (asked.isEmpty()) {
            return steps;
        }
        Set<TaskId> locked = tasks.lock(tx, asked, tx.mayWait());
        return steps.stream()
                .filter(step -> tx.mayWait() || !asksPeople(step) || locked.contains(task(step)))
                .toList();
    }

    /** Moves tasks to their next group, where there is one, and returns the GUIDs of these steps. */
    Set<Guid> escalate(Tx tx, List<NodeReport> standing) throws SQLException {
        List<NodeReport> asked = asked(standing);
        if (asked.isEmpty()) {
            return Set.of();
        }
        Map<JobId, NodeStore.Job> jobs =
                graphs.jobs(tx, asked.stream().map(NodeReport::job).toList());
        List<Escalated> next = new ArrayList<>();
        for (NodeReport step : asked) {
            NodeStore.Job job = jobs.get(step.job());
            Node.Hook hook = job == null || job.closed() ? null : hookOf(job, step);
            NodeAsk ask = hook == null ? null : hook.task();
            int escalated = (int) step.posting().fence();
            if (hook != null && ask != null && escalated < ask.escalations().size()) {
                String group = ask.escalations().get(escalated).group();
                next.add(new Escalated(task(step), step.job(), group, ask.wait(escalated + 1, hook.timer())));
            }
        }
        if (next.isEmpty()) {
            return Set.of();
        }
        Set<TaskId> done = tasks.escalate(tx, next);
        List<Escalated> open =
                next.stream().filter(each -> done.contains(each.task())).toList();
        if (!open.isEmpty()) {
            graphs.waitOn(tx, open);
        }
        Set<Guid> handedOn = new HashSet<>();
        done.forEach(task -> handedOn.add(new Guid(task.value())));
        return handedOn;
    }

    /** Closes the unanswered tasks: they can no longer be answered. */
    void expire(Tx tx, List<NodeReport> due) throws SQLException {
        List<NodeReport> asked = asked(due);
        if (!asked.isEmpty()) {
            tasks.expire(tx, asked.stream().map(HookTasks::task).toList());
        }
    }

    private Node.@Nullable Hook hookOf(NodeStore.Job job, NodeReport step) {
        GraphType type = types.apply(Queues.of(job.workflow(), job.version()));
        return type == null ? null : type.hook(step.posting().activity().name());
    }

    private static List<NodeReport> asked(List<NodeReport> steps) {
        return steps.stream().filter(HookTasks::asksPeople).toList();
    }

    private static boolean asksPeople(NodeReport step) {
        return step.told() instanceof NodeEvent.Due due && due.asksPeople();
    }

    private static TaskId task(NodeReport step) {
        return idOf(step.posting().guid());
    }
}
