package dev.tallystick.engine;

import dev.tallystick.engine.TaskStore.Escalated;
import dev.tallystick.sql.Tx;
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
final class GraphTasks {

    private final TaskStore tasks = new TaskStore();
    private final GraphStore graphs;
    private final Function<String, @Nullable GraphType> types;

    GraphTasks(GraphStore graphs, Function<String, @Nullable GraphType> types) {
        this.graphs = graphs;
        this.types = types;
    }

    static TaskId idOf(Guid wait) {
        return new TaskId(wait.value());
    }

    /** Locks the tasks whose time is up, and returns the steps that need not wait for another transaction. */
    List<GraphStep> free(Tx tx, List<GraphStep> steps) throws SQLException {
        List<TaskId> asked = asked(steps).stream()
                .map(GraphTasks::task)
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
    Set<Guid> escalate(Tx tx, List<GraphStep> standing) throws SQLException {
        List<GraphStep> asked = asked(standing);
        if (asked.isEmpty()) {
            return Set.of();
        }
        Map<JobId, GraphStore.Job> jobs =
                graphs.jobs(tx, asked.stream().map(GraphStep::job).toList());
        List<Escalated> next = new ArrayList<>();
        for (GraphStep step : asked) {
            GraphStore.Job job = jobs.get(step.job());
            GraphNode.Hook hook = job == null || job.closed() ? null : hookOf(job, step);
            GraphAsk ask = hook == null ? null : hook.task();
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
    void expire(Tx tx, List<GraphStep> due) throws SQLException {
        List<GraphStep> asked = asked(due);
        if (!asked.isEmpty()) {
            tasks.expire(tx, asked.stream().map(GraphTasks::task).toList());
        }
    }

    private GraphNode.@Nullable Hook hookOf(GraphStore.Job job, GraphStep step) {
        GraphType type = types.apply(Queues.of(job.workflow(), job.version()));
        return type == null ? null : type.hook(step.posting().activity().name());
    }

    private static List<GraphStep> asked(List<GraphStep> steps) {
        return steps.stream().filter(GraphTasks::asksPeople).toList();
    }

    private static boolean asksPeople(GraphStep step) {
        return step.told() instanceof GraphTold.Due due && due.asksPeople();
    }

    private static TaskId task(GraphStep step) {
        return idOf(step.posting().guid());
    }
}
