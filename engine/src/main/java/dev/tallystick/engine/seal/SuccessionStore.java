package dev.tallystick.engine.seal;

import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.tree.TilePath;
import dev.tallystick.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** Logs that were given up, and the move to the next one. One method is one statement; the caller owns the transaction. */
final class SuccessionStore {

    /** A log that was given up, as far as it was known. */
    record Old(
            LogNumber number,
            String origin,
            String rootKey,
            long size,
            @Nullable String checkpoint,
            long witnessedSize,
            @Nullable String witnessed,
            String reason) {

        /** The checkpoint that proves the most about an entry: a cosigned one, if it covers the entry. */
        Optional<SignedNote> proving(long last) {
            String best = witnessed != null && witnessedSize > last ? witnessed : checkpoint;
            return best == null ? Optional.empty() : Optional.of(SignedNote.parse(best));
        }
    }

    private static final String IS_LEASED = """
            select owner is not null and leased_until > now() as yes
            from tally.seal_log
            for update
            """;

    private static final String KEEP = """
            insert into tally.old_log (number, origin, root_key, size, checkpoint, witnessed_size, witnessed, reason)
            select number, origin, ?, size, checkpoint, witnessed_size, witnessed, ?
            from tally.seal_log
            """;

    private static final String FIND = """
            select number, origin, root_key, size, checkpoint, witnessed_size, witnessed, reason
            from tally.old_log
            where number = ?
            """;

    // What was in the intent was never proven.
    private static final String FREE_FACTS = """
            update tally.seal_fact f
            set position = null, salt = null
            from tally.seal_log l
            where f.log = l.number
                and f.position >= l.size
            """;

    // Jobs that are here are sealed again. Those that were dropped have all their entries below the anchor: retention
    // keeps what
    // is queued.
    private static final String FREE_JOBS = """
            delete from tally.sealed_job s
            using tally.job j
            where j.id = s.id
                and j.mesh = s.mesh
            """;

    // An erasure that was about to be sealed is sealed into the successor, without a reference to an entry of the old
    // log.
    private static final String FREE_ERASURES = """
            update tally.sealed_job s
            set erased = null
            from tally.seal_log l
            where s.log = l.number
                and s.erased >= l.size
            """;

    private static final String FORGET_MEMBERS = "delete from tally.sealed_member";
    private static final String FORGET_INTENT = "delete from tally.seal_intent";
    private static final String FORGET_QUEUE = "delete from tally.seal_queue";

    private static final String MOVE_TILES = """
            with moved as (
                delete from tally.log_tile
                returning level, number, width, bytes
            )
            insert into tally.old_log_tile (log, level, number, width, bytes)
            select l.number, m.level, m.number, m.width, m.bytes
            from moved m
            cross join tally.seal_log l
            """;

    private static final String MOVE_ROTATIONS = """
            with moved as (
                delete from tally.log_rotation
                returning size, checkpoint
            )
            insert into tally.old_log_rotation (log, size, checkpoint)
            select l.number, m.size, m.checkpoint
            from moved m
            cross join tally.seal_log l
            """;

    private static final String BEGIN = """
            update tally.seal_log
            set number = number + 1, begun_at = now(), origin = ?, root_key = ?, secret_id = ?,
                size = 0, checkpoint = null, witnessed_size = 0, witnessed = null,
                owner = null, leased_until = null, alarm = null, alarmed_at = null
            """;

    private static final String TILE = """
            select bytes
            from tally.old_log_tile
            where log = ?
                and level = ?
                and number = ?
                and width >= ?
            """;

    private static final String ROTATIONS = """
            select size, checkpoint
            from tally.old_log_rotation
            where log = ?
                and size <= ?
            order by size
            """;

    /** Whether a process seals; it cannot take the lease before the transaction ends. */
    boolean isLeased(Tx tx) throws SQLException {
        return tx.first(IS_LEASED, row -> row.getBoolean("yes")).orElseThrow();
    }

    /** Gives the current log up, and frees what it did not seal. */
    void giveUp(Tx tx, String rootKey, String reason) throws SQLException {
        tx.update(KEEP, rootKey, reason);
        tx.update(FREE_FACTS);
        tx.update(FREE_JOBS);
        tx.update(FREE_ERASURES);
        tx.update(FORGET_MEMBERS);
        tx.update(FORGET_INTENT);
        tx.update(FORGET_QUEUE);
        tx.update(MOVE_TILES);
        tx.update(MOVE_ROTATIONS);
    }

    /** Makes the next log the current one. */
    void begin(Tx tx, String origin, String rootKey, String secretId) throws SQLException {
        tx.update(BEGIN, origin, rootKey, secretId);
    }

    Optional<Old> find(Tx tx, LogNumber number) throws SQLException {
        return tx.first(FIND, SuccessionStore::old, number.value());
    }

    /** The tile, which may be wider than the path asks for. */
    Optional<byte[]> tile(Tx tx, LogNumber log, TilePath path) throws SQLException {
        return tx.first(TILE, row -> row.getBytes("bytes"), log.value(), path.level(), path.index(), path.width());
    }

    /** The last checkpoints of the keys that were replaced up to this size, by their sizes. */
    SequencedMap<Long, SignedNote> rotations(Tx tx, LogNumber log, long size) throws SQLException {
        SequencedMap<Long, SignedNote> found = new LinkedHashMap<>();
        tx.query(
                ROTATIONS,
                row -> found.put(row.getLong("size"), SignedNote.parse(row.getString("checkpoint"))),
                log.value(),
                size);
        return found;
    }

    private static Old old(ResultSet row) throws SQLException {
        return new Old(
                new LogNumber(row.getInt("number")),
                row.getString("origin"),
                row.getString("root_key"),
                row.getLong("size"),
                row.getString("checkpoint"),
                row.getLong("witnessed_size"),
                row.getString("witnessed"),
                row.getString("reason"));
    }
}
