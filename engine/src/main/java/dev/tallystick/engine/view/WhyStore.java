package dev.tallystick.engine.view;

import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.PartnerAnswer;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.SignalStore;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Explains why a job is in its current state. Writes nothing and locks nothing. */
public final class WhyStore {

    private static final String BODY = """
            select j.outcome, j.closed_at, j.error, j.workflow, j.version, p.owner, p.visible_at,
                p.visible_at = 'infinity' as parked, p.visible_at <= now() as due, p.queue, j.deadline
            from tally.job j
            left join tally.posting p on p.job_id = j.id and p.name = '$main'
            where j.id = ?
                and j.mesh = ?
            """;

    private static final String OPEN_ACTIVITIES = LedgerSql.in("""
            select a.path, a.name, a.kind, a.attempts, a.entered_at, a.error, a.retry_at, j.workflow, j.version,
                bit_count(a.arrived::bit(64)) as arrived, (a.ledger / {LEG1_COMPLETE}) % 10 = 0 as incomplete,
                p.awaits, p.queue, p.owner, p.attempts as begun, nullif(p.visible_at, 'infinity') as visible_at,
                coalesce(p.visible_at <= now(), false) as due, c.id as child,
                t.name as task, t.id as task_id, coalesce(t.assignee, 'anyone of ' || t.group_name) as asked
            from tally.activity a
            join tally.job j on j.id = a.job_id
            left join tally.job c on c.parent_job = a.job_id and c.parent_path = a.path and c.parent_name = a.name
                and c.closed_by is null
            left join tally.posting p on p.job_id = a.job_id and p.path = a.path and p.name = a.name
            left join tally.task t on t.job_id = a.job_id
                and (a.name = '$await:$task:' || t.id or p.awaits = '$task:' || t.id)
            where a.job_id = ?
                and a.name <> '$main'
                and ((a.ledger / {WORK_DONE}) % 10 = 0 or p.guid is not null)
            order by a.entered_at, a.path
            limit ?
            """);

    /** Empty if the mesh has no such job. */
    public Optional<Why> why(Tx tx, String mesh, JobId job) throws SQLException {
        Optional<String> state = tx.first(BODY, WhyStore::state, job.value(), mesh);
        if (state.isEmpty()) {
            return Optional.empty();
        }
        List<Why.Wait> waits = state.get().startsWith("closed")
                ? List.of()
                : tx.query(OPEN_ACTIVITIES, WhyStore::waitFor, job.value(), Why.MOST_WAITS + 1);
        boolean hasMore = waits.size() > Why.MOST_WAITS;
        return Optional.of(new Why(job, state.get(), hasMore ? waits.subList(0, Why.MOST_WAITS) : waits, hasMore));
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
        if (owner != null && row.getBoolean("due")) {
            return "process " + owner + " had it and has not been heard of since its lease ended at "
                    + Tx.instant(row, "visible_at") + "; it continues in " + processFor(row);
        }
        if (owner != null) {
            return "running in process " + owner + ", whose lease ends at " + Tx.instant(row, "visible_at")
                    + " unless it is extended";
        }
        if (row.getTimestamp("visible_at") == null) {
            return "open; it waits for several things";
        }
        if (row.getBoolean("parked")) {
            return "waiting; not claimed";
        }
        String queue = row.getString("queue");
        if (row.getBoolean("due") && queue.indexOf('[') >= 0) {
            return "due since " + Tx.instant(row, "visible_at") + ", waiting for its turn: " + limit(row, queue);
        }
        return row.getBoolean("due")
                ? "due since " + Tx.instant(row, "visible_at") + ", waiting for " + processFor(row)
                : "not before " + Tx.instant(row, "visible_at");
    }

    private static String limit(ResultSet row, String queue) throws SQLException {
        return row.getString("workflow") + " has a limit for those with key '"
                + queue.substring(queue.indexOf('[') + 1, queue.lastIndexOf(']')) + "'";
    }

    private static String signal(@Nullable String signal, @Nullable Instant due) {
        if (signal == null) {
            return "the clock, at " + due;
        }
        return "a signal '" + signal + "'" + orAt(due);
    }

    private static Why.Wait waitFor(ResultSet row) throws SQLException {
        String name = row.getString("name");
        String path = row.getString("path");
        return new Why.Wait(
                path.isEmpty() ? name : name + " at " + path,
                Objects.requireNonNull(Tx.instant(row, "entered_at")),
                row.getBoolean("incomplete") ? branches(row) : mover(row, name));
    }

    private static String mover(ResultSet row, String name) throws SQLException {
        @Nullable Instant due = Tx.instant(row, "visible_at");
        return switch (row.getString("kind")) {
            case "sleep" -> "the clock, at " + due;
            case LegOne.AWAIT ->
                name.startsWith(SignalStore.waitName(""))
                        ? awaited(row, name.substring(SignalStore.waitName("").length()), due)
                        : child(row);
            case "hook" -> row.getBoolean("due") ? turn(row, due) : awaited(row, row.getString("awaits"), due);
            case "child" -> child(row);
            case "worker" ->
                row.getString("awaits") == null ? work(row, due) : awaited(row, row.getString("awaits"), due);
            case "trigger", "signal", "cycle", "interrupt" -> turn(row, due);
            case "undoing" -> "the end of all that takes back what the job has done";
            case "branch" -> "the end of this branch";
            default -> step(row);
        };
    }

    /** A step of code: an attempt is running, or the next one is waiting. */
    private static String step(ResultSet row) throws SQLException {
        int attempts = row.getInt("attempts");
        Instant retry = Tx.instant(row, "retry_at");
        String error = row.getString("error");
        return retry != null
                ? "attempt " + (attempts + 1) + ", at " + retry + "; attempt " + attempts + " failed: " + error
                : "the end of attempt " + attempts + ", or the end of its process's lease" + lastFailure(error);
    }

    private static String lastFailure(@Nullable String error) {
        return error == null ? "" : "; the last one failed: " + error;
    }

    private static String processFor(ResultSet row) throws SQLException {
        return "a process in which " + row.getString("workflow") + " version " + row.getInt("version")
                + " is registered";
    }

    /** A join at which branches are still missing. */
    private static String branches(ResultSet row) throws SQLException {
        return "the branches that lead to it and have not come yet; so far " + row.getInt("arrived")
                + " came or were skipped";
    }

    private static String child(ResultSet row) throws SQLException {
        String child = row.getString("child");
        return child == null ? "the end of its child job" : "the end of its child job " + child;
    }

    /** Work of a graph: it is running, unclaimed, abandoned by its holder, or waiting for a retry. */
    private static String work(ResultSet row, @Nullable Instant due) throws SQLException {
        String owner = row.getString("owner");
        int begun = row.getInt("begun");
        if (owner != null) {
            return row.getBoolean("due")
                    ? who(row) + ", for " + owner + " has not been heard of since its lease ended at " + due
                            + ", in attempt " + begun
                    : "the end of attempt " + begun + " in " + owner + ", whose lease ends at " + due
                            + " unless it is extended" + lastFailure(row.getString("error"));
        }
        if (row.getBoolean("due")) {
            return who(row) + ": not claimed since " + due;
        }
        return "attempt " + (begun + 1) + ", at " + due + lastFailure(row.getString("error"));
    }

    private static String who(ResultSet row) throws SQLException {
        String queue = row.getString("queue");
        return queue.equals(Queues.of(row.getString("workflow"), row.getInt("version")))
                ? processFor(row) + " with all its workers"
                : "a worker of topic '" + queue + "'";
    }

    /** An engine must continue the job. */
    private static String turn(ResultSet row, @Nullable Instant due) throws SQLException {
        int begun = row.getInt("begun");
        String queue = row.getString("queue");
        if (queue != null && queue.indexOf('[') >= 0) {
            return "its turn, waiting for it since " + due + ": " + limit(row, queue);
        }
        return processFor(row)
                + (begun == 0
                        ? ", since " + due
                        : ", again at " + due + "; of those who began it without coming back " + begun
                                + " are counted");
    }

    private static String awaited(ResultSet row, @Nullable String signal, @Nullable Instant due) throws SQLException {
        String task = row.getString("task");
        if (task == null) {
            return PartnerAnswer.requestOf(signal)
                    .map(request -> "the result of posting " + request + " (tally exchange show " + request + ")")
                    .orElseGet(() -> signal(signal, due));
        }
        return "the answer of " + row.getString("asked") + " to task '" + task + "' (" + row.getString("task_id") + ")"
                + orAt(due);
    }

    private static String orAt(@Nullable Instant due) {
        return due == null ? "" : ", or the clock at " + due;
    }
}
