package dev.tallystick.engine.seal;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a restored database learns from its log. The entries that it does not know are in a temporary table meanwhile. One method
 * is one statement; the caller owns the transaction.
 */
final class ReplayStore {

    /**
     * An entry of the log.
     *
     * @param tag of an acceptance, or the position of a member's secret in the map
     * @param outcome the commitment of the outcome, in a closed entry
     */
    record Entry(
            long position,
            int type,
            byte @Nullable [] tag,
            @Nullable Long accepted,
            byte @Nullable [] ends,
            @Nullable Instant expiresAt,
            byte @Nullable [] outcome) {}

    /** A job whose acceptance is queued, under this key. */
    record QueuedJob(UUID id, String mesh, String member, String key) {}

    /** A member that has accepted keys or may have. */
    record KnownMember(String mesh, String member) {}

    /** An open job that the log has closed. */
    record ClosedJob(UUID id, String mesh, byte @Nullable [] salt, byte @Nullable [] outcome) {}

    /** A job that the log has erased. */
    record ErasedJob(UUID id, String mesh) {}

    private static final String MARK = """
            insert into tally.restored (made_at)
            values (?)
            on conflict (one_row) do update
            set made_at = excluded.made_at, restored_at = now(), ended = '{}', settled_at = null
            """;

    private static final String IS_UNSETTLED = """
            select exists (select from tally.restored where settled_at is null) as yes
            """;

    private static final String SETTLE = """
            update tally.restored
            set settled_at = now()
            where settled_at is null
            """;

    private static final String BEGIN = """
            create temporary table log_since (
                position   bigint primary key,
                type       int    not null,
                tag        bytea,
                accepted   bigint,
                ends       bytea,
                expires_at timestamptz,
                outcome    bytea
            ) on commit drop
            """;

    private static final String ADD = """
            insert into pg_temp.log_since (position, type, tag, accepted, ends, expires_at, outcome)
            select *
            from unnest(?::bigint[], ?::int[], ?::bytea[], ?::bigint[], ?::bytea[], ?::timestamptz[], ?::bytea[])
            """;

    private static final String FIND_TAG = """
            select position
            from pg_temp.log_since
            where tag = ?
            """;

    private static final String QUEUED_JOBS = """
            select j.id, j.mesh, i.member, i.key
            from tally.seal_queue q
            cross join lateral unnest(q.accepted, q.keys, q.members) as i (id, key, member)
            join tally.job j on j.id = i.id
            where i.key is not null
                and not exists (select from tally.sealed_job s where s.id = j.id)
            """;

    private static final String PLACE_JOB = """
            insert into tally.sealed_job (id, mesh, accepted, log)
            values (?, ?, ?, (select number from tally.seal_log))
            """;

    private static final String KNOWN_MEMBERS = """
            select mesh, id as member
            from tally.member
            union
            select distinct mesh, member
            from tally.key
            where door = 'accept'
            """;

    private static final String PLACE_ENDS = """
            update tally.sealed_job s
            set closed = e.position
            from pg_temp.log_since e
            where e.type = 2
                and e.accepted = s.accepted
                and s.log = (select number from tally.seal_log)
                and s.closed is null
            """;

    private static final String OPEN_BUT_CLOSED = """
            select s.id, s.mesh, s.salt, e.outcome
            from tally.sealed_job s
            join tally.job j on j.id = s.id and j.mesh = s.mesh
            join pg_temp.log_since e on e.position = s.closed
            where j.closed_by is null
                and s.log = (select number from tally.seal_log)
            """;

    private static final String CLOSE = """
            with gone as (
                delete from tally.posting
                where job_id = ?
                    and mesh = ?
            )
            update tally.job
            set semaphore = 0, closed_by = gen_random_uuid(), closed_at = now(), outcome = ?, error = ?
            where id = ?
                and mesh = ?
            """;

    private static final String STOP = """
            delete from tally.posting
            where job_id = ?
                and mesh = ?
            """;

    private static final String PLACE_ERASURES = """
            update tally.sealed_job s
            set erased = e.position
            from pg_temp.log_since e
            where e.type = 3
                and e.accepted = s.accepted
                and s.log = (select number from tally.seal_log)
                and s.erased is null
            """;

    private static final String UNERASED = """
            select s.id, s.mesh
            from tally.sealed_job s
            where s.erased is not null
                and not exists (select from tally.erasure e where e.job_id = s.id)
            """;

    private static final String KEEP_ENDED = """
            update tally.restored
            set ended = ended || (select coalesce(array_agg(ends), '{}') from pg_temp.log_since where ends is not null)
            where settled_at is null
            """;

    private static final String ENDED = """
            select unnest(ended) as ends
            from tally.restored
            where settled_at is null
            """;

    private static final String LOSE = """
            insert into tally.lost_tag (tag, position, expires_at)
            select e.tag, e.position, e.expires_at
            from pg_temp.log_since e
            where e.type = 1
                and e.tag is not null
                and e.expires_at > now()
                and not exists (
                    select
                    from tally.sealed_job s
                    where s.accepted = e.position
                        and s.log = (select number from tally.seal_log)
                )
            on conflict (tag) do update
            set position = excluded.position, expires_at = excluded.expires_at
            """;

    private static final String COUNT = """
            select count(*) as n
            from pg_temp.log_since
            where type = ?
                and (tag is null) = ?
            """;

    private static final String ANCHOR = """
            with done as (
                delete from tally.seal_intent
                returning queued
            ),
            dequeued as (
                delete from tally.seal_queue q
                using done d
                where q.id = any(d.queued)
            )
            update tally.seal_log
            set size = ?, checkpoint = ?, sealed_at = now(), alarm = null, alarmed_at = null, owner = null, leased_until = null
            """;

    private static final String IS_LOST = """
            select exists (
                select
                from tally.lost_tag
                where tag = any(?)
                    and expires_at > now()
            ) as yes
            """;

    private static final String HAS_LOST = """
            select exists (select from tally.lost_tag where expires_at > now()) as yes
            """;

    void mark(Tx tx, Instant madeAt) throws SQLException {
        tx.update(MARK, madeAt);
    }

    boolean isUnsettled(Tx tx) throws SQLException {
        return tx.first(IS_UNSETTLED, row -> row.getBoolean("yes")).orElseThrow();
    }

    void settle(Tx tx) throws SQLException {
        tx.update(SETTLE);
    }

    void begin(Tx tx) throws SQLException {
        tx.update(BEGIN);
    }

    void add(Tx tx, List<Entry> entries) throws SQLException {
        Columns<Entry> of = new Columns<>(entries);
        tx.update(
                ADD,
                of.longs(Entry::position),
                of.ints(Entry::type),
                of.bytes(Entry::tag),
                of.optionalLongs(Entry::accepted),
                of.bytes(Entry::ends),
                of.texts(entry ->
                        entry.expiresAt() == null ? null : entry.expiresAt().toString()),
                of.bytes(Entry::outcome));
    }

    Optional<Long> find(Tx tx, byte[] tag) throws SQLException {
        return tx.first(FIND_TAG, row -> row.getLong("position"), (Object) tag);
    }

    List<QueuedJob> queuedJobs(Tx tx) throws SQLException {
        return tx.query(
                QUEUED_JOBS,
                row -> new QueuedJob(
                        row.getObject("id", UUID.class),
                        row.getString("mesh"),
                        row.getString("member"),
                        row.getString("key")));
    }

    void placeJob(Tx tx, QueuedJob job, long position) throws SQLException {
        tx.update(PLACE_JOB, job.id(), job.mesh(), position);
    }

    List<KnownMember> knownMembers(Tx tx) throws SQLException {
        return tx.query(KNOWN_MEMBERS, row -> new KnownMember(row.getString("mesh"), row.getString("member")));
    }

    void placeEnds(Tx tx) throws SQLException {
        tx.update(PLACE_ENDS);
    }

    List<ClosedJob> openButClosed(Tx tx) throws SQLException {
        return tx.query(
                OPEN_BUT_CLOSED,
                row -> new ClosedJob(
                        row.getObject("id", UUID.class),
                        row.getString("mesh"),
                        row.getBytes("salt"),
                        row.getBytes("outcome")));
    }

    void close(Tx tx, ClosedJob job, String outcome, String error) throws SQLException {
        tx.update(CLOSE, job.id(), job.mesh(), outcome, error, job.id(), job.mesh());
    }

    /** Lets nothing of the job run. */
    void stop(Tx tx, ClosedJob job) throws SQLException {
        tx.update(STOP, job.id(), job.mesh());
    }

    void placeErasures(Tx tx) throws SQLException {
        tx.update(PLACE_ERASURES);
    }

    /** Jobs that are erased as far as the log knows, and not here. */
    List<ErasedJob> unerased(Tx tx) throws SQLException {
        return tx.query(UNERASED, row -> new ErasedJob(row.getObject("id", UUID.class), row.getString("mesh")));
    }

    void keepEnded(Tx tx) throws SQLException {
        tx.update(KEEP_ENDED);
    }

    List<byte[]> ended(Tx tx) throws SQLException {
        return tx.query(ENDED, row -> row.getBytes("ends"));
    }

    int lose(Tx tx) throws SQLException {
        return tx.update(LOSE);
    }

    /** How many entries of a type there are, with or without a tag. */
    long count(Tx tx, int type, boolean withoutTag) throws SQLException {
        return tx.first(COUNT, row -> row.getLong("n"), type, withoutTag).orElseThrow();
    }

    void anchor(Tx tx, long size, String checkpoint) throws SQLException {
        tx.update(ANCHOR, size, checkpoint);
    }

    boolean isLost(Tx tx, List<byte[]> tags) throws SQLException {
        return tx.first(IS_LOST, row -> row.getBoolean("yes"), (Object) tags.toArray(byte[][]::new))
                .orElseThrow();
    }

    boolean hasLost(Tx tx) throws SQLException {
        return tx.first(HAS_LOST, row -> row.getBoolean("yes")).orElseThrow();
    }
}
