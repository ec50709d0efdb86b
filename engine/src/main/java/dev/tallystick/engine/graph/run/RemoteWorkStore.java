package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.FailureLog;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.record.PostingStore;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The postings of one topic and mesh, for workers outside any engine. */
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

    // Recorded work has no posting any more, but a worker that repeats its result still gets the first answer.
    private static final String FIND = """
            select w.path, w.name, w.queue, w.attempts, w.owner, j.workflow, j.version
            from (
                select job_id, path, name, queue, attempts, case when fence = ? then owner end as owner
                from tally.posting
                where job_id = ? and guid = ?
                union all
                select job_id, path, name, null, 0, null
                from tally.guid
                where job_id = ? and guid = ?
            ) as w
            join tally.job j on j.id = w.job_id and j.mesh = ?
            order by w.attempts desc
            limit 1
            """;

    private static final String FIND_OPEN = """
            select p.job_id, p.guid, p.path, p.name, i.fence
            from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as i (job_id, guid, fence)
            join tally.posting p on p.job_id = i.job_id and p.guid = i.guid
            where p.mesh = ? and p.queue = ? and (p.owner is null or p.owner = ?)
            """;

    /**
     * What is known about a piece of work, done or not.
     *
     * @param topic whose work it is; null if it is done
     * @param owner who leased it with the fence that was asked about; null if that lease is over. Who repeats an answer to a lease
     *     that is over gets the answer of the first time
     */
    record Known(
            ActivityId activity,
            @Nullable String topic,
            int attempt,
            @Nullable String owner,
            String graph) {

        /** Whether it is to be done, and by workers of another topic than this one. */
        boolean isOfAnother(String asked) {
            return topic != null && !topic.equals(asked);
        }

        /** Whether a different worker holds that lease. */
        boolean isHeldByAnother(String worker) {
            return owner != null && !owner.equals(worker);
        }

        /** How the log describes it. */
        FailureLog.Subject about(UUID work) {
            return new FailureLog.Subject(activity.job(), graph, work.toString(), activity.name());
        }
    }

    List<Lease> lease(Tx tx, String mesh, String topic, int limit, Duration lease, String owner) throws SQLException {
        return tx.query(LEASE, PostingStore::lease, topic, mesh, limit, lease.toMillis(), owner);
    }

    /** Those that are not done yet and that no other worker has, as this one knows them. */
    List<Lease> findOpen(Tx tx, String mesh, String topic, String worker, List<RemoteWork.Handle> handles)
            throws SQLException {
        Columns<RemoteWork.Handle> of = new Columns<>(handles);
        return tx.query(
                FIND_OPEN,
                PostingStore::lease,
                of.uuids(handle -> handle.job().value()),
                of.uuids(RemoteWork.Handle::work),
                of.longs(RemoteWork.Handle::fence),
                mesh,
                topic,
                worker);
    }

    Optional<Known> find(Tx tx, String mesh, JobId job, UUID guid, long fence) throws SQLException {
        return tx.first(
                FIND,
                row -> new Known(
                        new ActivityId(job, row.getString("path"), row.getString("name")),
                        row.getString("queue"),
                        row.getInt("attempts"),
                        row.getString("owner"),
                        Queues.of(row.getString("workflow"), row.getInt("version"))),
                fence,
                job.value(),
                guid,
                job.value(),
                guid,
                mesh);
    }
}
