package dev.tallystick.engine.seal;

import dev.tallystick.log.files.Intent;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The row of the log with its lease, the queue and the intent. One method is one statement; the caller owns the transaction. */
final class SealStore {

    /**
     * The published state of the log.
     *
     * @param checkpoint the signed note; null while the log is empty
     * @param fence the number of the lease that a write must bring
     * @param alarm why sealing has stopped; null if it has not
     */
    record Anchor(
            String origin,
            long size,
            @Nullable String checkpoint,
            long fence,
            @Nullable String alarm) {}

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

    /** How far sealing is behind. */
    record Backlog(long rows, @Nullable Instant oldest, Duration lag) {}

    // Waits for writers that have not seen the log's row: later ones queue their jobs themselves.
    private static final String HOLD_JOBS = "lock table tally.job in share row exclusive mode";

    private static final String BEGIN = """
            insert into tally.seal_log (origin)
            values (?)
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
            select origin, size, checkpoint, fence, alarm
            from tally.seal_log
            """;

    private static final String LEASE = """
            update tally.seal_log
            set fence = case when owner = ? then fence else fence + 1 end,
                owner = ?,
                leased_until = now() + ? * interval '1 millisecond'
            where owner is null
                or owner = ?
                or leased_until < now()
            returning origin, size, checkpoint, fence, alarm
            """;

    private static final String RELEASE = """
            update tally.seal_log
            set owner = null, leased_until = null
            where owner = ?
            """;

    private static final String ALARM = """
            update tally.seal_log
            set alarm = ?, alarmed_at = coalesce(alarmed_at, now())
            where fence = ?
            """;

    private static final String CALM = """
            update tally.seal_log
            set alarm = null, alarmed_at = null
            where fence = ?
                and alarm is not null
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
                and exists (select from tally.seal_log where fence = ?)
            """;

    private static final String BACKLOG = """
            select count(*) as rows, min(queued_at) as oldest,
                coalesce(extract(epoch from now() - min(queued_at)) * 1000, 0)::bigint as lag_millis
            from tally.seal_queue
            """;

    private static final String INTENT = """
            select old_size, note, entries, queued
            from tally.seal_intent
            """;

    private static final String INTEND = """
            insert into tally.seal_intent (old_size, fence, note, entries, queued)
            select ?, fence, ?, ?, ?
            from tally.seal_log
            where fence = ?
                and size = ?
            """;

    private static final String ADVANCE = """
            with anchored as (
                update tally.seal_log
                set size = ?, checkpoint = ?, sealed_at = now(), alarm = null, alarmed_at = null
                where fence = ?
                    and size = ?
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
    boolean begin(Tx tx, String origin) throws SQLException {
        tx.update(HOLD_JOBS);
        boolean begun = tx.update(BEGIN, origin) == 1;
        if (begun) {
            tx.update(QUEUE_ACCEPTED);
            tx.update(QUEUE_CLOSED);
        }
        return begun;
    }

    /** Empty if jobs are not sealed. */
    Optional<Anchor> anchor(Tx tx) throws SQLException {
        return tx.first(ANCHOR, SealStore::anchor);
    }

    /** Takes or extends the lease; empty if another process holds it. */
    Optional<Anchor> lease(Tx tx, String owner, Duration length) throws SQLException {
        return tx.first(LEASE, SealStore::anchor, owner, owner, length.toMillis(), owner);
    }

    int release(Tx tx, String owner) throws SQLException {
        return tx.update(RELEASE, owner);
    }

    int alarm(Tx tx, long fence, String why) throws SQLException {
        return tx.update(ALARM, why, fence);
    }

    int calm(Tx tx, long fence) throws SQLException {
        return tx.update(CALM, fence);
    }

    /** The rows with the smallest IDs: facts that depend on each other are in order. */
    List<Queued> queued(Tx tx, int limit) throws SQLException {
        return tx.query(QUEUE, SealStore::queued, limit);
    }

    /** Removes rows that bring nothing new, if the fence is current. */
    void drop(Tx tx, long fence, long[] queued) throws SQLException {
        tx.update(DROP, queued, fence);
    }

    Backlog backlog(Tx tx) throws SQLException {
        return tx.first(
                        BACKLOG,
                        row -> new Backlog(
                                row.getLong("rows"),
                                Tx.instant(row, "oldest"),
                                Duration.ofMillis(row.getLong("lag_millis"))))
                .orElseThrow();
    }

    Optional<Recorded> intent(Tx tx) throws SQLException {
        return tx.first(INTENT, SealStore::intent);
    }

    /** Returns whether the fence is current and the log still has this size. */
    boolean intend(Tx tx, long fence, Recorded intent) throws SQLException {
        return tx.update(
                        INTEND,
                        intent.batch().oldSize(),
                        intent.batch().note(),
                        intent.batch().entries().toArray(byte[][]::new),
                        intent.queued(),
                        fence,
                        intent.batch().oldSize())
                == 1;
    }

    /**
     * Moves the anchor to the end of the intent, and removes the intent and its rows of the queue.
     *
     * @return whether the fence is current and the log still had the intent's old size
     */
    boolean advance(Tx tx, long fence, Intent batch, String checkpoint) throws SQLException {
        return tx.first(
                        ADVANCE,
                        row -> row.getLong("size"),
                        batch.oldSize() + batch.entries().size(),
                        checkpoint,
                        fence,
                        batch.oldSize())
                .isPresent();
    }

    private static Anchor anchor(ResultSet row) throws SQLException {
        return new Anchor(
                row.getString("origin"),
                row.getLong("size"),
                row.getString("checkpoint"),
                row.getLong("fence"),
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
