package dev.tallystick.engine.seal;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what is to be sealed of jobs. One method is one statement; the caller owns the transaction. */
final class FactStore {

    /** A job whose acceptance is to be sealed, and the key that the queue has for it. */
    record Named(UUID job, @Nullable String key, @Nullable String member) {}

    /**
     * A job's acceptance.
     *
     * @param key null for a job that was started without one
     * @param expiresAt when the key may be used again, as known now; null without a key
     * @param origin the job that it comes from; null for none
     * @param kind how it comes from there; null if it does not
     */
    record Accepted(
            UUID job,
            String mesh,
            String workflow,
            int version,
            Instant at,
            @Nullable String key,
            @Nullable String member,
            byte @Nullable [] fingerprint,
            @Nullable Instant expiresAt,
            @Nullable UUID origin,
            @Nullable String kind) {}

    /** A job's end. */
    record Closed(
            UUID job,
            String mesh,
            String workflow,
            int version,
            Instant acceptedAt,
            Instant closedAt,
            String outcome,
            byte @Nullable [] output,
            @Nullable String error) {}

    /** The digits of an activity, or of a transition if it has a GUID. */
    record Digits(UUID job, @Nullable UUID guid, String path, String name, long ledger) {}

    // A child that continued as another job has handed its parent on to the newest of the chain.
    private static final String ACCEPTED = """
            select j.id, j.mesh, j.workflow, j.version, j.created_at, i.key, i.member, k.fingerprint, k.expires_at,
                coalesce(j.continued_from, j.parent_job, n.parent_job) as origin,
                case
                    when j.continued_from is not null and j.run is not null then 'continuation'
                    when j.continued_from is not null and j.keys_of is not null then 'fork'
                    when j.continued_from is not null then 'rerun'
                    when coalesce(j.parent_job, n.parent_job) is not null then 'child'
                end as kind
            from unnest(?::uuid[], ?::text[], ?::text[]) as i (id, key, member)
            join tally.job j on j.id = i.id
            left join lateral (
                select fingerprint, expires_at
                from tally.key
                where key = i.key
                    and mesh = j.mesh
                    and member = i.member
                    and door = 'accept'
                    and original_id = j.id
                offset 0
            ) k on true
            left join lateral (
                select c.parent_job
                from tally.job c
                where j.outcome = 'continued'
                    and c.first_job = coalesce(j.first_job, j.id)
                order by c.run desc
                limit 1
            ) n on true
            """;

    private static final String CLOSED = """
            select id, mesh, workflow, version, created_at, closed_at, outcome, output, error
            from tally.job
            where id = any(?)
                and closed_by is not null
            """;

    private static final String DIGITS = """
            select job_id, null::uuid as guid, path, name, ledger
            from tally.activity
            where job_id = any(?)
            union all
            select job_id, guid, path, name, ledger
            from tally.guid
            where job_id = any(?)
            """;

    Map<UUID, Accepted> accepted(Tx tx, List<Named> jobs) throws SQLException {
        Map<UUID, Accepted> found = HashMap.newHashMap(jobs.size());
        Columns<Named> of = new Columns<>(jobs);
        tx.query(ACCEPTED, FactStore::accepted, of.uuids(Named::job), of.texts(Named::key), of.texts(Named::member))
                .forEach(each -> found.put(each.job(), each));
        return found;
    }

    Map<UUID, Closed> closed(Tx tx, Collection<UUID> jobs) throws SQLException {
        Map<UUID, Closed> found = HashMap.newHashMap(jobs.size());
        tx.query(CLOSED, FactStore::closed, (Object) jobs.toArray(UUID[]::new))
                .forEach(each -> found.put(each.job(), each));
        return found;
    }

    /** The digits of all activities and transitions of each job. */
    Map<UUID, List<Digits>> digits(Tx tx, Collection<UUID> jobs) throws SQLException {
        Map<UUID, List<Digits>> found = HashMap.newHashMap(jobs.size());
        UUID[] ids = jobs.toArray(UUID[]::new);
        tx.query(DIGITS, FactStore::digits, ids, ids)
                .forEach(each -> found.computeIfAbsent(each.job(), job -> new ArrayList<>())
                        .add(each));
        return found;
    }

    private static Accepted accepted(ResultSet row) throws SQLException {
        return new Accepted(
                row.getObject("id", UUID.class),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                instant(row, "created_at"),
                row.getString("key"),
                row.getString("member"),
                row.getBytes("fingerprint"),
                Tx.instant(row, "expires_at"),
                row.getObject("origin", UUID.class),
                row.getString("kind"));
    }

    private static Closed closed(ResultSet row) throws SQLException {
        return new Closed(
                row.getObject("id", UUID.class),
                row.getString("mesh"),
                row.getString("workflow"),
                row.getInt("version"),
                instant(row, "created_at"),
                instant(row, "closed_at"),
                row.getString("outcome"),
                row.getBytes("output"),
                row.getString("error"));
    }

    private static Digits digits(ResultSet row) throws SQLException {
        return new Digits(
                row.getObject("job_id", UUID.class),
                row.getObject("guid", UUID.class),
                row.getString("path"),
                row.getString("name"),
                row.getLong("ledger"));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(Tx.instant(row, column));
    }
}
