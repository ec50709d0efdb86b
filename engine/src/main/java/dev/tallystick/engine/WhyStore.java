package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads why a job is where it is. Writes nothing and locks nothing. */
final class WhyStore {

    private static final String BODY = """
            select j.outcome, j.closed_at, j.error, j.workflow, j.version, p.owner, p.visible_at,
                p.visible_at = 'infinity' as parked, p.visible_at <= now() as due, p.queue, j.deadline
            from tally.job j
            left join tally.posting p on p.job_id = j.id and p.name = '$main'
            where j.id = ?
            """;

    private static final String OPEN_ACTIVITIES = Weights.in("""
            select a.path, a.name, a.kind, a.attempts, a.entered_at, p.awaits,
                nullif(p.visible_at, 'infinity') as visible_at,
                t.name as task, t.id as task_id, coalesce(t.assignee, 'anyone of ' || t.group_name) as asked
            from tally.activity a
            left join tally.posting p on p.job_id = a.job_id and p.path = a.path and p.name = a.name
            left join tally.task t on t.job_id = a.job_id
                and (a.name = '$await:$task:' || t.id or p.awaits = '$task:' || t.id)
            where a.job_id = ?
                and a.name <> '$main'
                and ((a.ledger / {WORK_DONE}) % 10 = 0 or p.guid is not null)
            order by a.entered_at, a.path
            """);

    /** Empty if there is no such job. */
    Optional<Why> why(Tx tx, JobId job) throws SQLException {
        Optional<String> state = tx.first(BODY, WhyStore::state, job.value());
        if (state.isEmpty()) {
            return Optional.empty();
        }
        List<Why.Wait> waits = tx.query(OPEN_ACTIVITIES, WhyStore::waitFor, job.value());
        return Optional.of(new Why(job, state.get(), state.get().startsWith("closed") ? List.of() : waits));
    }

    private static String state(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        if (outcome != null) {
            String error = row.getString("error");
            return "closed, " + outcome + " at " + Tx.instant(row, "closed_at") + (error == null ? "" : ": " + error);
        }
        Instant deadline = Tx.instant(row, "deadline");
        return openState(row) + (deadline == null ? "" : "; it is ended if it is not done by " + deadline);
    }

    private static String openState(ResultSet row) throws SQLException {
        String owner = row.getString("owner");
        if (owner != null) {
            return "running in process " + owner + ", whose lease ends at " + Tx.instant(row, "visible_at")
                    + " unless it is extended";
        }
        if (row.getTimestamp("visible_at") == null) {
            return "open; each of its activities waits for something of its own";
        }
        if (row.getBoolean("parked")) {
            return "waiting; nobody holds it";
        }
        String queue = row.getString("queue");
        if (row.getBoolean("due") && queue.indexOf('[') >= 0) {
            return "due since " + Tx.instant(row, "visible_at") + ", waiting for its turn: " + row.getString("workflow")
                    + " has a limit for those with key '"
                    + queue.substring(queue.indexOf('[') + 1, queue.lastIndexOf(']')) + "'";
        }
        return row.getBoolean("due")
                ? "due since " + Tx.instant(row, "visible_at") + ", waiting for a process in which "
                        + row.getString("workflow") + " version " + row.getInt("version") + " is registered"
                : "not before " + Tx.instant(row, "visible_at");
    }

    private static String signal(@Nullable String signal, @Nullable Instant due) {
        if (signal == null) {
            return "the clock, at " + due;
        }
        return "a signal '" + signal + "'" + orAt(due);
    }

    private static Why.Wait waitFor(ResultSet row) throws SQLException {
        String name = row.getString("name");
        @Nullable Instant due = Tx.instant(row, "visible_at");
        String mover = switch (row.getString("kind")) {
            case "sleep" -> "the clock, at " + due;
            case LegOne.AWAIT ->
                name.startsWith(SignalStore.waitName(""))
                        ? awaited(row, name.substring(SignalStore.waitName("").length()), due)
                        : "the end of its child job";
            case "hook" -> awaited(row, row.getString("awaits"), due);
            case "child" -> "the end of its child job";
            case "undoing" -> "the end of all that takes back what the job has done";
            case "branch" -> "the end of this branch";
            default -> "the end of attempt " + row.getInt("attempts") + ", or the end of its process's lease";
        };
        return new Why.Wait(
                name + " at " + row.getString("path"), Objects.requireNonNull(Tx.instant(row, "entered_at")), mover);
    }

    private static String awaited(ResultSet row, @Nullable String signal, @Nullable Instant due) throws SQLException {
        String task = row.getString("task");
        if (task == null) {
            return signal(signal, due);
        }
        return "the answer of " + row.getString("asked") + " to task '" + task + "' (" + row.getString("task_id") + ")"
                + orAt(due);
    }

    private static String orAt(@Nullable Instant due) {
        return due == null ? "" : ", or the clock at " + due;
    }
}
