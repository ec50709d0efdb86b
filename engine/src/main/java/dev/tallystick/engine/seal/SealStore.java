package dev.tallystick.engine.seal;

import dev.tallystick.log.files.Intent;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.note.VerifierKey;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The row of the log with its lease, the queue and the intent. One method is one statement; the caller owns the transaction. */
final class SealStore {

    /**
     * The published state of the log.
     *
     * @param begunAt when a successor of a lost log began; null for the first log
     * @param rootKey the public key that the log began with; null if it began before that was recorded
     * @param secretId identifies the installation's secret; null likewise
     * @param checkpoint the signed note; null while the log is empty
     * @param witnessed the newest checkpoint that a quorum of witnesses cosigned; null if there is none
     * @param alarm why sealing has stopped; null if it has not
     */
    record Anchor(
            LogNumber number,
            @Nullable Instant begunAt,
            String origin,
            @Nullable String rootKey,
            @Nullable String secretId,
            long size,
            @Nullable String checkpoint,
            long witnessedSize,
            @Nullable String witnessed,
            @Nullable String alarm) {

        /** The checkpoint that proves the most about an entry: a cosigned one, if it covers the entry. */
        Optional<SignedNote> proving(long last) {
            String best = witnessed != null && witnessedSize > last ? witnessed : checkpoint;
            return best == null ? Optional.empty() : Optional.of(SignedNote.parse(best));
        }
    }

    /** A row of the queue. The keys and members stand beside the accepted jobs; null for a job without a key. */
    record Queued(
            long id,
            List<UUID> accepted,
            List<@Nullable String> keys,
            List<@Nullable String> members,
            List<UUID> closed) {

        int facts() {
            return accepted.size() + closed.size();
        }
    }

    /** The batch that is being sealed, and the rows of the queue that it covers. */
    record Recorded(Intent batch, long[] queued) {}

    /** How far sealing is behind; at most 100,000 rows are counted. */
    record Backlog(long rows, Duration lag) {}

    // Waits for writers that have not seen the log's row: later ones queue their jobs themselves.
    private static final String HOLD_JOBS = "lock table tally.job in share row exclusive mode";

    private static final String BEGIN = """
            insert into tally.seal_log (origin, root_key, secret_id)
            values (?, ?, ?)
            on conflict (one_row) do nothing
            """;

    private static final String QUEUE_ACCEPTED = """
            insert into tally.seal_queue (accepted, keys, members)
            select array_agg(id order by id), array_agg(key order by id), array_agg(member order by id)
            from (
                select j.id, k.key, k.member, (row_number() over (order by j.id) - 1) / 500 as part
                from tally.job j
                left join tally.key k on k.original_id = j.id and k.mesh = j.mesh and k.door = 'accept'
            ) as i
            group by part
            order by part
            """;

    private static final String QUEUE_CLOSED = """
            insert into tally.seal_queue (closed)
            select array_agg(id order by id)
            from (
                select id, (row_number() over (order by id) - 1) / 500 as part
                from tally.job
                where closed_by is not null
            ) as i
            group by part
            order by part
            """;

    private static final String ANCHOR = """
            select number, begun_at, origin, root_key, secret_id, size, checkpoint, witnessed_size, witnessed, alarm
            from tally.seal_log
            """;

    private static final String LEASE = """
            update tally.seal_log
            set owner = ?, leased_until = now() + ? * interval '1 millisecond'
            where owner is null
                or owner = ?
                or leased_until < now()
            returning number, begun_at, origin, root_key, secret_id, size, checkpoint, witnessed_size, witnessed, alarm
            """;

    private static final String RELEASE = """
            update tally.seal_log
            set owner = null, leased_until = null
            where owner = ?
            """;

    // A process that cannot seal says nothing about the log of another one that can.
    private static final String ALARM = """
            update tally.seal_log
            set owner = null, leased_until = null, alarm = ?, alarmed_at = coalesce(alarmed_at, now())
            where owner is null
                or owner = ?
                or leased_until < now()
            """;

    private static final String CALM = """
            update tally.seal_log
            set alarm = null, alarmed_at = null
            where owner = ?
                and alarm is not null
            """;

    // A round that began earlier may end later.
    private static final String WITNESSED = """
            update tally.seal_log
            set witnessed_size = ?, witnessed = ?
            where size >= ?
                and witnessed_size <= ?
            """;

    private static final String ROTATED = """
            insert into tally.log_rotation (size, checkpoint)
            values (?, ?)
            """;

    private static final String ROTATIONS = """
            select size, checkpoint
            from tally.log_rotation
            where size <= ?
            order by size
            """;

    private static final String QUEUE = """
            select id, accepted, keys, members, closed
            from tally.seal_queue
            order by id
            limit ?
            """;

    private static final String DROP = """
            delete from tally.seal_queue
            where id = any(?)
            """;

    // The rows are queued in the order of their IDs, about; counting stops where the exact number no longer matters.
    private static final String BACKLOG = """
            select (select count(*) from (select from tally.seal_queue limit 100000) as counted) as rows,
                coalesce(
                    (select extract(epoch from now() - queued_at) * 1000 from tally.seal_queue order by id limit 1),
                    0
                )::bigint as lag_millis
            """;

    private static final String INTENT = """
            select old_size, note, entries, queued
            from tally.seal_intent
            """;

    // Without the lock, the intent of a batch that is just being anchored could be replaced by another for the same
    // size. A note begins with the origin: a process that was stopped while the log got a successor intends nothing.
    private static final String INTEND = """
            with log as (
                select size
                from tally.seal_log
                where size = ?
                    and starts_with(?, origin || chr(10))
                for update
            )
            insert into tally.seal_intent (old_size, note, entries, queued)
            select size, ?, ?, ?
            from log
            on conflict do nothing
            """;

    private static final String ADVANCE = """
            with anchored as (
                update tally.seal_log
                set size = ?, checkpoint = ?, sealed_at = now(), alarm = null, alarmed_at = null
                where size = ?
                    and starts_with(?, origin || chr(10))
                returning size
            ),
            done as (
                delete from tally.seal_intent
                where exists (select from anchored)
                returning queued
            ),
            dequeued as (
                delete from tally.seal_queue q
                using done d
                where q.id = any(d.queued)
            )
            select size
            from anchored
            """;

    /** Begins to seal jobs, those in the database included; does nothing if that has happened before. */
    boolean begin(Tx tx, VerifierKey rootKey, String secretId) throws SQLException {
        holdJobs(tx);
        boolean begun = tx.update(BEGIN, rootKey.name(), rootKey.toString(), secretId) == 1;
        if (begun) {
            queueAll(tx);
        }
        return begun;
    }

    /** Keeps jobs from being accepted or closed until the transaction ends. */
    void holdJobs(Tx tx) throws SQLException {
        tx.update(HOLD_JOBS);
    }

    /** Queues all jobs that the database has. */
    void queueAll(Tx tx) throws SQLException {
        tx.update(QUEUE_ACCEPTED);
        tx.update(QUEUE_CLOSED);
    }

    /** Empty if jobs are not sealed. */
    Optional<Anchor> anchor(Tx tx) throws SQLException {
        return tx.first(ANCHOR, SealStore::anchor);
    }

    /** Takes or extends the lease; empty if another process holds it. */
    Optional<Anchor> lease(Tx tx, String owner, Duration length) throws SQLException {
        return tx.first(LEASE, SealStore::anchor, owner, length.toMillis(), owner);
    }

    int release(Tx tx, String owner) throws SQLException {
        return tx.update(RELEASE, owner);
    }

    /** Says why this process cannot seal, and gives back the lease; does nothing while another process seals. */
    int alarm(Tx tx, String owner, String why) throws SQLException {
        return tx.update(ALARM, why, owner);
    }

    int calm(Tx tx, String owner) throws SQLException {
        return tx.update(CALM, owner);
    }

    /** Keeps a checkpoint that a quorum of witnesses cosigned, unless a newer one is there. */
    int witnessed(Tx tx, long size, String checkpoint) throws SQLException {
        return tx.update(WITNESSED, size, checkpoint, size, size);
    }

    /** Keeps the last checkpoint of a key that was replaced. */
    int rotated(Tx tx, long size, String checkpoint) throws SQLException {
        return tx.update(ROTATED, size, checkpoint);
    }

    /** The last checkpoints of the keys that were replaced up to this size, by their sizes. */
    SequencedMap<Long, SignedNote> rotations(Tx tx, long size) throws SQLException {
        SequencedMap<Long, SignedNote> found = new LinkedHashMap<>();
        tx.query(ROTATIONS, row -> found.put(row.getLong("size"), SignedNote.parse(row.getString("checkpoint"))), size);
        return found;
    }

    /** The rows with the smallest IDs: facts that depend on each other are in order. */
    List<Queued> queued(Tx tx, int limit) throws SQLException {
        return tx.query(QUEUE, SealStore::queued, limit);
    }

    /** Removes rows that bring nothing new. */
    int drop(Tx tx, long[] queued) throws SQLException {
        return tx.update(DROP, (Object) queued);
    }

    Backlog backlog(Tx tx) throws SQLException {
        return tx.first(BACKLOG, row -> new Backlog(row.getLong("rows"), Duration.ofMillis(row.getLong("lag_millis"))))
                .orElseThrow();
    }

    Optional<Recorded> intent(Tx tx) throws SQLException {
        return tx.first(INTENT, SealStore::intent);
    }

    /** Records the batch, and returns whether it did: only if the log still has this size and no batch is recorded. */
    boolean intend(Tx tx, Recorded intent) throws SQLException {
        return tx.update(
                        INTEND,
                        intent.batch().oldSize(),
                        intent.batch().note(),
                        intent.batch().note(),
                        intent.batch().entries().toArray(byte[][]::new),
                        intent.queued())
                == 1;
    }

    /**
     * Moves the anchor to the end of the intent, and removes the intent and its rows of the queue.
     *
     * @return whether the log still had the intent's old size
     */
    boolean advance(Tx tx, Intent batch, String checkpoint) throws SQLException {
        return tx.first(
                        ADVANCE,
                        row -> row.getLong("size"),
                        batch.oldSize() + batch.entries().size(),
                        checkpoint,
                        batch.oldSize(),
                        checkpoint)
                .isPresent();
    }

    private static Anchor anchor(ResultSet row) throws SQLException {
        return new Anchor(
                new LogNumber(row.getInt("number")),
                Tx.instant(row, "begun_at"),
                row.getString("origin"),
                row.getString("root_key"),
                row.getString("secret_id"),
                row.getLong("size"),
                row.getString("checkpoint"),
                row.getLong("witnessed_size"),
                row.getString("witnessed"),
                row.getString("alarm"));
    }

    private static Queued queued(ResultSet row) throws SQLException {
        return new Queued(
                row.getLong("id"),
                array(row, "accepted", UUID[].class),
                texts(row, "keys"),
                texts(row, "members"),
                array(row, "closed", UUID[].class));
    }

    private static Recorded intent(ResultSet row) throws SQLException {
        return new Recorded(
                new Intent(row.getLong("old_size"), array(row, "entries", byte[][].class), row.getString("note")),
                array(row, "queued", Long[].class).stream()
                        .mapToLong(Long::longValue)
                        .toArray());
    }

    private static List<@Nullable String> texts(ResultSet row, String column) throws SQLException {
        List<@Nullable String> texts = new ArrayList<>();
        java.sql.Array array = row.getArray(column);
        if (array != null) {
            for (@Nullable Object text : (@Nullable Object[]) array.getArray()) {
                texts.add((String) text);
            }
        }
        return texts;
    }

    private static <T> List<T> array(ResultSet row, String column, Class<T[]> type) throws SQLException {
        java.sql.Array array = row.getArray(column);
        return array == null ? List.of() : Arrays.asList(type.cast(array.getArray()));
    }
}
