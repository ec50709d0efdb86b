package dev.tallystick.engine.record;

import dev.tallystick.core.ActivityLedger;
import dev.tallystick.engine.model.ClosedActivity;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a job that is to run again, and copies what the new job inherits beyond the record. */
public final class RerunStore {

    private static final String SOURCE = """
            select j.mesh, j.workflow, j.version, j.priority, j.input, j.outcome,
                (extract(epoch from j.deadline - j.created_at) * 1000)::bigint as timeout_millis,
                exists (select 1 from tally.activity a where a.job_id = j.id and a.kind = 'trigger') as is_graph,
                exists (select 1 from tally.activity a where a.job_id = j.id and a.path = '' and a.name = '$undo') as undone
            from tally.job j
            where j.id = ?
                and j.mesh = ?
            """;

    private static final String LOCK = """
            select id
            from tally.job
            where id = ?
                and mesh = ?
            for update
            """;

    private static final String RECORD = """
            select path, name, kind, ledger, attempts, output, error
            from tally.activity
            where job_id = ?
                and path <> ''
            order by entered_at, path
            """;

    // A wait may have been given a signal and the job closed before the result was recorded: the wait did not take it.
    private static final String COPY_SIGNALS = LedgerSql.in("""
            insert into tally.signal (job_id, name, sender_key, payload, sent_at)
            select ?, s.name, s.sender_key, s.payload, s.sent_at
            from tally.signal s
            where s.job_id = ?
                and (s.taken_by is null
                    or not exists (
                        select 1
                        from tally.guid g
                        where g.job_id = s.job_id and g.guid = s.taken_by and (g.ledger / {WORK_DONE}) % 10 = 1
                    ))
            order by s.ordinal
            on conflict (job_id, name, sender_key) do nothing
            """);

    private static final String KEEP_KEYS = """
            update tally.job j
            set keys_of = coalesce(o.keys_of, o.id)
            from tally.job o
            where j.id = ?
                and o.id = ?
            """;

    // The first holder of a lease assumes that nothing is recorded.
    private static final String NOT_THE_FIRST = """
            update tally.posting
            set fence = greatest(fence, 1)
            where job_id = ?
                and name = '$main'
            """;

    /** A job that is to run again. */
    public record Source(
            String mesh,
            String workflow,
            int version,
            int priority,
            byte[] input,
            boolean closed,
            @Nullable Duration timeout,
            boolean isGraph,
            boolean undone) {}

    public Optional<Source> source(Tx tx, String mesh, JobId job) throws SQLException {
        return tx.first(SOURCE, RerunStore::source, job.value(), mesh);
    }

    /** Waits for a transaction that is moving the job; the next statement then sees its writes. */
    public void lock(Tx tx, String mesh, JobId job) throws SQLException {
        tx.first(LOCK, row -> row.getObject("id"), job.value(), mesh);
    }

    public List<ClosedActivity> record(Tx tx, JobId job) throws SQLException {
        return tx.query(RECORD, RerunStore::past, job.value());
    }

    /** The new job also gets the signals that no wait took. The old job keeps them, so that it still knows their keys. */
    public void copySignals(Tx tx, JobId from, JobId to) throws SQLException {
        tx.update(COPY_SIGNALS, to.value(), from.value());
    }

    /** The new job uses the keys of the old one, and has a record. */
    public void fork(Tx tx, JobId from, JobId to) throws SQLException {
        tx.update(KEEP_KEYS, to.value(), from.value());
        tx.update(NOT_THE_FIRST, to.value());
    }

    private static Source source(ResultSet row) throws SQLException {
        long millis = row.getLong("timeout_millis");
        Duration timeout = row.wasNull() ? null : Duration.ofMillis(millis);
        return new Source(
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                row.getInt("priority"),
                row.getBytes("input"),
                row.getString("outcome") != null,
                timeout,
                row.getBoolean("is_graph"),
                row.getBoolean("undone"));
    }

    private static ClosedActivity past(ResultSet row) throws SQLException {
        return new ClosedActivity(
                row.getString("path"),
                row.getString("name"),
                row.getString("kind"),
                new ActivityLedger(row.getLong("ledger")).workDone(),
                row.getInt("attempts"),
                row.getBytes("output"),
                row.getString("error"));
    }
}
