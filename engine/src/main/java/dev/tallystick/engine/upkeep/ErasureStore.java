package dev.tallystick.engine.upkeep;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Erased jobs, and what the log has of them. One method is one statement; the caller owns the transaction. */
final class ErasureStore {

    /** An activity of a job, whose requests to partners have IDs that follow from its place. */
    record Place(String path, String name) {}

    /** What was sealed of a job; the record is null for a job whose acceptance is not sealed. */
    record Sealed(byte @Nullable [] acceptedRecord) {}

    /** An erased job, and the key whose text is still to be removed. */
    record Covered(UUID job, ScopedKey key) {}

    private static final String FIND = """
            select job_id, erased_at, erased_by
            from tally.erasure
            where job_id = ?
                and mesh = ?
            """;

    private static final String LOCK_JOB = """
            select closed_by is not null as has_closed, coalesce(keys_of, id) as keys_of
            from tally.job
            where id = ?
                and mesh = ?
            for update
            """;

    private static final String LOCK_SEALED = """
            select accepted_record
            from tally.sealed_job
            where id = ?
                and mesh = ?
            for update
            """;

    // Each part is about a job whose rows are locked: nothing is queued for it any more.
    private static final String IS_BEING_SEALED = """
            select exists (select from tally.seal_queue where ? = any(accepted) or ? = any(closed))
                or exists (
                    select
                    from tally.sealed_job s
                    join tally.seal_log l on s.log = l.number and greatest(s.accepted, s.closed) >= l.size
                    where s.id = ?
                        and s.mesh = ?
                )
                or exists (
                    select
                    from tally.seal_fact f
                    join tally.seal_log l on f.position is null or (f.log = l.number and f.position >= l.size)
                    where f.subject = ?
                        and f.mesh = ?
                ) as yes
            """;

    private static final String PLACES = """
            select path, name
            from tally.activity
            where job_id = ?
            """;

    private static final String GUIDS = """
            select guid
            from tally.guid
            where job_id = ?
            union
            select guid
            from tally.posting
            where job_id = ?
            """;

    private static final String TAKE_END = """
            delete from tally.ended_job
            where job_id = ?
            """;

    private static final String UNSEAL = """
            with facts as (
                update tally.seal_fact
                set record = null, salt = null
                where subject = ?
                    and mesh = ?
            )
            update tally.sealed_job
            set salt = null, accepted_record = null, closed_record = null, origin = null
            where id = ?
                and mesh = ?
            """;

    private static final String RECORD = """
            insert into tally.erasure (job_id, mesh, erased_by, key, member)
            values (?, ?, ?, ?, ?)
            returning job_id, erased_at, erased_by
            """;

    private static final String QUEUE = """
            insert into tally.seal_fact (type, mesh, subject, record)
            select 3, s.mesh, s.id::text, ?
            from tally.sealed_job s
            where s.id = ?
                and s.mesh = ?
                and s.erased is null
                and exists (select from tally.seal_log)
            """;

    private static final String COVERED = """
            select job_id, mesh, member, key
            from tally.erasure
            where key is not null
            order by job_id
            limit ?
            """;

    private static final String UNCOVER = """
            update tally.erasure
            set key = null, member = null
            where job_id = any(?)
            """;

    Optional<Erase.Erased> find(Tx tx, String mesh, JobId job) throws SQLException {
        return tx.first(FIND, ErasureStore::erased, job.value(), mesh);
    }

    /** A job's row, locked. */
    record Locked(boolean hasClosed, JobId keysOf) {}

    Optional<Locked> lockJob(Tx tx, String mesh, JobId job) throws SQLException {
        return tx.first(
                LOCK_JOB,
                row -> new Locked(row.getBoolean("has_closed"), new JobId(row.getObject("keys_of", UUID.class))),
                job.value(),
                mesh);
    }

    Optional<Sealed> lockSealed(Tx tx, String mesh, JobId job) throws SQLException {
        return tx.first(LOCK_SEALED, row -> new Sealed(row.getBytes("accepted_record")), job.value(), mesh);
    }

    boolean isBeingSealed(Tx tx, String mesh, JobId job) throws SQLException {
        UUID id = job.value();
        return tx.first(IS_BEING_SEALED, row -> row.getBoolean("yes"), id, id, id, mesh, id.toString(), mesh)
                .orElseThrow();
    }

    List<Place> places(Tx tx, JobId job) throws SQLException {
        return tx.query(PLACES, row -> new Place(row.getString("path"), row.getString("name")), job.value());
    }

    List<UUID> guids(Tx tx, JobId job) throws SQLException {
        return tx.query(GUIDS, row -> row.getObject("guid", UUID.class), job.value(), job.value());
    }

    /** Waits for a transaction that announces the end; if there is none, no one will. */
    void takeEnd(Tx tx, JobId job) throws SQLException {
        tx.update(TAKE_END, job.value());
    }

    /** Deletes the salts and records of a job; its positions in the log stay. */
    void unseal(Tx tx, String mesh, JobId job) throws SQLException {
        tx.update(UNSEAL, job.toString(), mesh, job.value(), mesh);
    }

    Erase.Erased record(Tx tx, String mesh, JobId job, String by, @Nullable ScopedKey key) throws SQLException {
        return tx.first(
                        RECORD,
                        ErasureStore::erased,
                        job.value(),
                        mesh,
                        by,
                        key == null ? null : key.key().value(),
                        key == null ? null : key.scope().member())
                .orElseThrow();
    }

    /** Has the erasure sealed, if the job is. */
    void queue(Tx tx, String mesh, JobId job, byte[] record) throws SQLException {
        tx.update(QUEUE, record, job.value(), mesh);
    }

    /** Erasures with keys whose texts are still to be removed. */
    List<Covered> covered(Tx tx, int limit) throws SQLException {
        return tx.query(
                COVERED,
                row -> new Covered(
                        row.getObject("job_id", UUID.class),
                        new ScopedKey(
                                new Scope(row.getString("mesh"), row.getString("member")),
                                new IdempotencyKey(row.getString("key")))),
                limit);
    }

    void uncover(Tx tx, List<Covered> removed) throws SQLException {
        tx.update(UNCOVER, (Object) new Columns<>(removed).uuids(Covered::job));
    }

    private static Erase.Erased erased(ResultSet row) throws SQLException {
        return new Erase.Erased(
                new JobId(row.getObject("job_id", UUID.class)),
                Objects.requireNonNull(Tx.instant(row, "erased_at")),
                row.getString("erased_by"));
    }
}
