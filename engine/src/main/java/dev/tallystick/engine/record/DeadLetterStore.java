package dev.tallystick.engine.record;

import dev.tallystick.engine.model.DeadLetter;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The dead letter table. */
public final class DeadLetterStore {

    // Repeated after a lost reply, it finds the letter present. The parent of a failed child gets the failure instead.
    private static final String BURY = """
            insert into tally.dead_letter (job_id, mesh, workflow, version, reason, ceiling)
            select j.id, j.mesh, j.workflow, j.version, coalesce(j.error, ''),
                exists (
                    select 1
                    from tally.activity a
                    where a.job_id = j.id and a.path = '' and a.name in ('$ceiling', '$exhausted')
                )
            from tally.job j
            where j.id = any(?)
                and j.outcome in ('failed', 'timed_out')
                and j.parent_job is null
            on conflict (job_id) do nothing
            """;

    private static final String COLUMNS = """
            select job_id, mesh, workflow, version, reason, ceiling, raised_at, redriven_as
            from tally.dead_letter
            """;

    private static final String READ = COLUMNS + "where mesh = ? and job_id = ?";

    private static final String OPEN = COLUMNS + """
            where mesh = ?
                and redriven_as is null
                and (?::uuid is null
                    or (raised_at, job_id) > (
                        select b.raised_at, b.job_id from tally.dead_letter b where b.job_id = ? and b.mesh = tally.dead_letter.mesh
                    ))
            order by raised_at, job_id
            limit ?
            """;

    private static final String LOCK = """
            select redriven_as
            from tally.dead_letter
            where mesh = ?
                and job_id = ?
            for update
            """;

    private static final String REDRIVEN = """
            update tally.dead_letter
            set redriven_as = ?, redriven_at = now()
            where job_id = ?
                and redriven_as is null
            """;

    private static final String DISCARD = """
            delete from tally.dead_letter
            where mesh = ?
                and job_id = ?
            """;

    /** Turns the jobs that failed without a waiting parent into dead letters. */
    public void bury(Tx tx, Collection<JobId> closed) throws SQLException {
        tx.update(BURY, (Object) closed.stream().map(JobId::value).toArray(UUID[]::new));
    }

    /** The letters that have not been redriven, oldest first. */
    public List<DeadLetter> open(Tx tx, String mesh, @Nullable JobId after, int limit) throws SQLException {
        UUID last = after == null ? null : after.value();
        return tx.query(OPEN, DeadLetterStore::letter, mesh, last, last, limit);
    }

    public Optional<DeadLetter> read(Tx tx, String mesh, JobId job) throws SQLException {
        return tx.first(READ, DeadLetterStore::letter, mesh, job.value());
    }

    public record Locked(Optional<JobId> redrivenAs) {}

    public Optional<Locked> lock(Tx tx, String mesh, JobId job) throws SQLException {
        return tx.first(LOCK, row -> new Locked(Optional.ofNullable(redrivenAs(row))), mesh, job.value());
    }

    public void redriven(Tx tx, JobId job, JobId as) throws SQLException {
        tx.update(REDRIVEN, as.value(), job.value());
    }

    public void discard(Tx tx, String mesh, JobId job) throws SQLException {
        tx.update(DISCARD, mesh, job.value());
    }

    private static DeadLetter letter(ResultSet row) throws SQLException {
        return new DeadLetter(
                new JobId(row.getObject("job_id", UUID.class)),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                row.getString("reason"),
                row.getBoolean("ceiling"),
                Objects.requireNonNull(Tx.instant(row, "raised_at")),
                redrivenAs(row));
    }

    private static @Nullable JobId redrivenAs(ResultSet row) throws SQLException {
        UUID id = row.getObject("redriven_as", UUID.class);
        return id == null ? null : new JobId(id);
    }
}
