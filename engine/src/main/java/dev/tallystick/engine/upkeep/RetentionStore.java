package dev.tallystick.engine.upkeep;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/** Drops jobs that closed long ago, with all their rows, unless a fact about them or an older job is still to be sealed. */
final class RetentionStore {

    // Job ids sort by time, so old jobs lie together at one end of the primary key. A separate index would cost every
    // job an entry when it closes.
    private static final String OLD = """
            with old as materialized (
                select id, coalesce(first_job, id) as first_job, closed_at,
                    parent_job is null and (first_job is not null or closed_at - created_at > interval '1 hour') as is_long
                from tally.job
                where id < ?
                    and id < (
                        select coalesce(
                            (select oldest from tally.seal_queue order by oldest limit 1),
                            'ffffffff-ffff-ffff-ffff-ffffffffffff')
                    )
                    and closed_at < now() - ? * interval '1 second'
                order by id
                limit ?
                for update skip locked
            ),
            """;

    private static final String ONE = """
            with old as materialized (
                select id, coalesce(first_job, id) as first_job, closed_at,
                    parent_job is null and (first_job is not null or closed_at - created_at > interval '1 hour') as is_long
                from tally.job
                where id = ?
                    and mesh = ?
                    and closed_by is not null
                for update
            ),
            """;

    /** Deletes the jobs in {@code old} with all their rows. */
    private static final String ALL_ROWS = """
            ended as (
                insert into tally.dropped_job as d (job_id, closed_at)
                select first_job, max(closed_at)
                from old
                where is_long
                group by first_job
                on conflict (job_id) do update
                set closed_at = greatest(d.closed_at, excluded.closed_at)
            ),
            guids as (
                delete from tally.guid g
                using old
                where g.job_id = old.id
            ),
            activities as (
                delete from tally.activity a
                using old
                where a.job_id = old.id
            ),
            failed as (
                delete from tally.failed_attempt f
                using old
                where f.job_id = old.id
            ),
            postings as (
                delete from tally.posting p
                using old
                where p.job_id = old.id
            ),
            letters as (
                delete from tally.dead_letter l
                using old
                where l.job_id = old.id
            ),
            signals as (
                delete from tally.signal s
                using old
                where s.job_id = old.id
            ),
            attributes as (
                delete from tally.attribute a
                using old
                where a.job_id = old.id
            ),
            tasks as (
                delete from tally.task t
                using old
                where t.job_id = old.id
            ),
            traces as (
                delete from tally.job_trace t
                using old
                where t.job_id = old.id
            )
            delete from tally.job j
            using old
            where j.id = old.id
            """;

    private static final String DROP = OLD + ALL_ROWS;
    private static final String DROP_ONE = ONE + ALL_ROWS;

    private static final String FORGET_ENDS = """
            delete from tally.dropped_job
            where closed_at < now() - ? * interval '1 second'
            """;

    /** Deletes the end times of jobs whose keys are no longer needed. */
    void forgetEnds(Tx tx, Duration keysKept) throws SQLException {
        tx.update(FORGET_ENDS, keysKept.toSeconds());
    }

    /**
     * Drops at most {@code limit} jobs.
     *
     * @param youngest ignores jobs with this id or a later one
     * @return how many were dropped
     */
    int drop(Tx tx, UUID youngest, Duration closedFor, int limit) throws SQLException {
        return tx.update(DROP, youngest, closedFor.toSeconds(), limit);
    }

    /** Drops one closed job of the mesh, sealed or not. */
    void drop(Tx tx, String mesh, UUID job) throws SQLException {
        tx.update(DROP_ONE, job, mesh);
    }
}
