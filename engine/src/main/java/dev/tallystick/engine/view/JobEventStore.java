package dev.tallystick.engine.view;

import dev.tallystick.core.api.JobApi.EventPage.Event;
import dev.tallystick.engine.model.LedgerSql;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** The events of jobs, and the last position assigned in each. One method is one step; the caller owns the transaction. */
public final class JobEventStore {

    private static final String OPEN = """
            insert into tally.job_log (job_id)
            select id
            from tally.job
            where id = ?
                and mesh = ?
            on conflict (job_id) do nothing
            """;

    private static final String LOCK = """
            select l.last
            from tally.job_log l
            join tally.job j on j.id = l.job_id
            where l.job_id = ?
                and j.mesh = ?
            for update of l
            """;

    // Events of the same moment are ordered by "turn". Each result is numbered once: a hook that received several
    // results fails with the last, and the others have returned.
    private static final String NUMBER = LedgerSql.in("""
            with fact as (
                select 'accepted' as event, 1 as turn, '' as subject, null as path, null as name, null as kind,
                    null as outcome, null as error, created_at as at
                from tally.job
                where id = ?
                union all
                select 'entered', 2, length(path) || ':' || path || name, path, name, kind, null, null, entered_at
                from tally.activity
                where job_id = ?
                union all
                select 'signalled', 3, length(name) || ':' || name || sender_key, null, name, null, null, null, sent_at
                from tally.signal
                where job_id = ?
                union all
                select case when a.error is null or a.kind = 'end' then 'returned' else 'failed' end, 4,
                    g.guid::text, g.path, g.name, a.kind, null, a.error, g.entered_at
                from tally.guid g
                left join tally.activity a on a.job_id = g.job_id and a.path = g.path and a.name = g.name
                where g.job_id = ?
                    and (g.ledger / {WORK_DONE}) % 10 = 1
                union all
                select 'closed', 5, '', null, null, null, outcome, error, closed_at
                from tally.job
                where id = ?
                    and closed_by is not null
            ),
            fresh as (
                select f.*
                from fact f
                where not exists (
                    select 1
                    from tally.job_event e
                    where e.job_id = ?
                        and e.event = any(case when f.turn = 4 then array['returned', 'failed'] else array[f.event] end)
                        and e.subject = f.subject
                )
                order by f.at, f.turn, f.subject
                limit ?
            )
            insert into tally.job_event (job_id, position, event, subject, path, name, kind, outcome, error, at)
            select ?, ? + row_number() over (order by at, turn, subject), event, subject, path, name, kind, outcome, error, at
            from fresh
            """);

    private static final String ADVANCE = """
            update tally.job_log
            set last = last + ?
            where job_id = ?
            """;

    private static final String READ = """
            select position, event, path, name, kind, outcome, error, at
            from tally.job_event
            where job_id = ?
                and exists (select 1 from tally.job j where j.id = job_id and j.mesh = ?)
                and position > ?
            order by position
            limit ?
            """;

    // Waits for a running numbering transaction; the next statement then sees the events it wrote.
    private static final String FORGET = """
            delete from tally.job_log l
            where l.job_id < ?
                and not exists (select 1 from tally.job j where j.id = l.job_id)
            returning l.job_id
            """;

    private static final String FORGET_ONE = """
            delete from tally.job_log
            where job_id = ?
            """;

    private static final String DROP = """
            delete from tally.job_event
            where job_id = any(?)
            """;

    /** Locks the job's numbering and returns the last position; empty if the job does not exist. */
    Optional<Long> lock(Tx tx, String mesh, JobId job) throws SQLException {
        tx.update(OPEN, job.value(), mesh);
        return tx.first(LOCK, row -> row.getLong("last"), job.value(), mesh);
    }

    /** Numbers at most {@code limit} committed events that have no position yet, and returns how many it numbered. */
    int number(Tx tx, JobId job, long last, int limit) throws SQLException {
        UUID id = job.value();
        return tx.update(NUMBER, id, id, id, id, id, id, limit, id, last);
    }

    void advance(Tx tx, JobId job, int by) throws SQLException {
        tx.update(ADVANCE, by, job.value());
    }

    List<Event> read(Tx tx, String mesh, JobId job, long after, int limit) throws SQLException {
        return tx.query(READ, JobEventStore::event, job.value(), mesh, after, limit);
    }

    /** Drops the events of deleted jobs. */
    public void forget(Tx tx, UUID youngest) throws SQLException {
        List<UUID> gone = tx.query(FORGET, row -> row.getObject("job_id", UUID.class), youngest);
        if (!gone.isEmpty()) {
            tx.update(DROP, (Object) gone.toArray(UUID[]::new));
        }
    }

    /** Drops the events of a job of the mesh. Readers that have not begun find no job when this transaction has deleted it. */
    public void forget(Tx tx, String mesh, JobId job) throws SQLException {
        if (lock(tx, mesh, job).isPresent()) {
            tx.update(FORGET_ONE, job.value());
            tx.update(DROP, (Object) new UUID[] {job.value()});
        }
    }

    private static Event event(ResultSet row) throws SQLException {
        return new Event(
                row.getLong("position"),
                row.getString("event"),
                row.getString("path"),
                row.getString("name"),
                row.getString("kind"),
                row.getString("outcome"),
                row.getString("error"),
                Objects.requireNonNull(Tx.instant(row, "at")));
    }
}
