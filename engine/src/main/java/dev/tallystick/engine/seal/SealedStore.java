package dev.tallystick.engine.seal;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What was sealed of jobs and members: positions, salts and records. One method is one statement; the caller owns the
 * transaction.
 */
final class SealedStore {

    /**
     * What was sealed of a job.
     *
     * @param salt null once the job is erased
     * @param accepted the position of its acceptance; null if the log began later
     * @param closed the position of its end; null while that is not sealed
     * @param hasClosed whether the job has ended, as far as its row is still there
     */
    record SealedJob(
            UUID id,
            String mesh,
            byte @Nullable [] salt,
            @Nullable Long accepted,
            byte @Nullable [] acceptedRecord,
            @Nullable Long closed,
            byte @Nullable [] closedRecord,
            boolean hasClosed) {}

    /** A member whose secret is committed to. */
    record Member(String mesh, String member) {}

    private static final String READ = """
            select id, mesh, salt, accepted, accepted_record, closed, closed_record, closed is not null as has_closed
            from tally.sealed_job
            where id = any(?)
            """;

    private static final String OF_MESH = """
            select id, mesh, salt, accepted, accepted_record, closed, closed_record,
                exists (
                    select
                    from tally.job j
                    where j.id = s.id
                        and j.mesh = s.mesh
                        and j.closed_by is not null
                ) as has_closed
            from tally.sealed_job s
            where id = ?
                and mesh = ?
            """;

    private static final String LOG_OF = """
            select log
            from tally.sealed_job
            where id = ?
                and mesh = ?
            """;

    private static final String OF_KEY = """
            select s.id, s.mesh, s.salt, s.accepted, s.accepted_record, s.closed, s.closed_record,
                s.closed is not null as has_closed
            from tally.key k
            join tally.sealed_job s on s.id = k.original_id and s.mesh = k.mesh
            where k.key = ?
                and k.mesh = ?
                and k.member = ?
                and k.door = 'accept'
            """;

    // Without an order, so that the limit ends the search: parents come before their children.
    private static final String DESCENDANTS = """
            with recursive descendant as (
                select id
                from tally.sealed_job
                where origin = any(?)
                    and mesh = ?
                    and log = (select number from tally.seal_log)
                    and salt is not null
                    and accepted < ?
                union all
                select s.id
                from descendant d
                join tally.sealed_job s on s.origin = d.id and s.mesh = ?
                where s.log = (select number from tally.seal_log)
                    and s.salt is not null
                    and s.accepted < ?
            )
            select s.id, s.mesh, s.salt, s.accepted, s.accepted_record, s.closed, s.closed_record,
                s.closed is not null as has_closed
            from descendant d
            join tally.sealed_job s on s.id = d.id
            limit ?
            """;

    // A job may have been erased since the batch was read: its record must not come back.
    private static final String WRITE = """
            insert into tally.sealed_job as s (id, mesh, salt, accepted, accepted_record, closed, closed_record, origin, log)
            select id, mesh, salt, accepted, accepted_record, closed, closed_record, origin,
                (select number from tally.seal_log)
            from unnest(?::uuid[], ?::text[], ?::bytea[], ?::bigint[], ?::bytea[], ?::bigint[], ?::bytea[], ?::uuid[])
                as i (id, mesh, salt, accepted, accepted_record, closed, closed_record, origin)
            on conflict (id) do update
            set closed = excluded.closed,
                closed_record = case when s.salt is not null then excluded.closed_record end
            """;

    private static final String MEMBERS = """
            select s.mesh, s.member, s.position
            from tally.sealed_member s
            where (s.mesh, s.member) in (select * from unnest(?::text[], ?::text[]))
                and s.generation = ?
            """;

    private static final String ADD_MEMBERS = """
            insert into tally.sealed_member (mesh, member, generation, position)
            select mesh, member, ?, position
            from unnest(?::text[], ?::text[], ?::bigint[]) as i (mesh, member, position)
            """;

    Map<UUID, SealedJob> read(Tx tx, Collection<UUID> jobs) throws SQLException {
        Map<UUID, SealedJob> found = HashMap.newHashMap(jobs.size());
        tx.query(READ, SealedStore::job, (Object) jobs.toArray(UUID[]::new)).forEach(job -> found.put(job.id(), job));
        return found;
    }

    Optional<SealedJob> find(Tx tx, String mesh, UUID job) throws SQLException {
        return tx.first(OF_MESH, SealedStore::job, job, mesh);
    }

    /** The log that has the entries of a job. */
    LogNumber logOf(Tx tx, SealedJob job) throws SQLException {
        return new LogNumber(
                tx.first(LOG_OF, row -> row.getInt("log"), job.id(), job.mesh()).orElseThrow());
    }

    /** The job that the key stands for. */
    Optional<SealedJob> ofKey(Tx tx, String mesh, String member, String key) throws SQLException {
        return tx.first(OF_KEY, SealedStore::job, key, mesh, member);
    }

    /** What comes from these jobs of the mesh, as far as it is below this size of the log and not erased. */
    List<SealedJob> descendants(Tx tx, String mesh, Collection<UUID> jobs, long size, int limit) throws SQLException {
        return tx.query(DESCENDANTS, SealedStore::job, jobs.toArray(UUID[]::new), mesh, size, mesh, size, limit);
    }

    /** Writes jobs; of one that is there already, only its end. */
    void write(Tx tx, Collection<SealedJob> jobs) throws SQLException {
        Columns<SealedJob> of = new Columns<>(List.copyOf(jobs));
        tx.update(
                WRITE,
                of.uuids(SealedJob::id),
                of.texts(SealedJob::mesh),
                of.bytes(SealedJob::salt),
                of.optionalLongs(SealedJob::accepted),
                of.bytes(SealedJob::acceptedRecord),
                of.optionalLongs(SealedJob::closed),
                of.bytes(SealedJob::closedRecord),
                of.uuids(job -> SealRecords.origin(job.acceptedRecord())));
    }

    /** The positions of the members' secrets, as far as there are any. */
    Map<Member, Long> members(Tx tx, Collection<Member> members, int generation) throws SQLException {
        Map<Member, Long> found = HashMap.newHashMap(members.size());
        Columns<Member> of = new Columns<>(List.copyOf(members));
        tx.query(
                MEMBERS,
                row -> found.put(new Member(row.getString("mesh"), row.getString("member")), row.getLong("position")),
                of.texts(Member::mesh),
                of.texts(Member::member),
                generation);
        return found;
    }

    void addMembers(Tx tx, Map<Member, Long> members, int generation) throws SQLException {
        Columns<Map.Entry<Member, Long>> of = new Columns<>(List.copyOf(members.entrySet()));
        tx.update(
                ADD_MEMBERS,
                generation,
                of.texts(each -> each.getKey().mesh()),
                of.texts(each -> each.getKey().member()),
                of.longs(Map.Entry::getValue));
    }

    private static SealedJob job(ResultSet row) throws SQLException {
        return new SealedJob(
                row.getObject("id", UUID.class),
                row.getString("mesh"),
                row.getBytes("salt"),
                row.getObject("accepted", Long.class),
                row.getBytes("accepted_record"),
                row.getObject("closed", Long.class),
                row.getBytes("closed_record"),
                row.getBoolean("has_closed"));
    }
}
