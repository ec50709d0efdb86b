package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The postings of a topic, as workers outside of any engine take them: those of one mesh. */
final class RemoteWorkStore {

    private static final String LEASE = """
            with due as materialized (
                select job_id, guid
                from tally.posting
                where queue = ?
                    and mesh = ?
                    and visible_at <= now()
                order by priority, visible_at
                limit ?
                for update skip locked
            )
            update tally.posting p
            set visible_at = now() + ? * interval '1 millisecond', fence = p.fence + 1, owner = ?, attempts = p.attempts + 1
            from due d
            where p.job_id = d.job_id and p.guid = d.guid
            returning p.job_id, p.guid, p.fence, p.path, p.name
            """;

    // What is recorded has no posting any more, and whoever repeats its result still gets the answer of the first time.
    private static final String FIND = """
            select w.path, w.name, w.attempts, j.workflow, j.version
            from (
                select job_id, path, name, attempts
                from tally.posting
                where job_id = ? and guid = ?
                union all
                select job_id, path, name, 0
                from tally.guid
                where job_id = ? and guid = ?
            ) as w
            join tally.job j on j.id = w.job_id and j.mesh = ?
            order by w.attempts desc
            limit 1
            """;

    /** What is known of a piece of work, done or not. */
    record Known(ActivityId activity, int attempt, String graph) {

        /** What the log says of it. */
        FailureLog.Subject about(UUID work) {
            return new FailureLog.Subject(activity.job(), graph, work.toString(), activity.name());
        }
    }

    List<Lease> lease(Tx tx, String mesh, String topic, int limit, Duration lease, String owner) throws SQLException {
        return tx.query(LEASE, PostingStore::lease, topic, mesh, limit, lease.toMillis(), owner);
    }

    Optional<Known> find(Tx tx, String mesh, JobId job, UUID guid) throws SQLException {
        return tx.first(
                FIND,
                row -> new Known(
                        new ActivityId(job, row.getString("path"), row.getString("name")),
                        row.getInt("attempts"),
                        Runner.queueOf(row.getString("workflow"), row.getInt("version"))),
                job.value(),
                guid,
                job.value(),
                guid,
                mesh);
    }
}
