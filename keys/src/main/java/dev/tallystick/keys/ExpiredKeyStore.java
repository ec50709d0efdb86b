package dev.tallystick.keys;

import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The rows of the key table that have expired. One method is one statement; the caller owns the transaction. */
final class ExpiredKeyStore {

    // One hour extra: the retention of a job that was open for less counts from its end, so we need not store its end.
    private static final String LOCK = """
        select %s
        from tally.key k
        where expires_at <= now() - interval '1 hour'
        order by expires_at
        limit ?
        for update skip locked
        """.formatted(KeyStore.COLUMNS);

    private static final String PROLONG = """
        update tally.key k
        set expires_at = needed.until
        from unnest(?, ?, ?, ?, ?::timestamptz[]) as needed (key, mesh, member, door, until)
        where k.key = needed.key and k.mesh = needed.mesh and k.member = needed.member and k.door = needed.door
            and needed.until > k.expires_at
        """;

    private static final String FORGET = """
        delete from tally.key k
        using unnest(?, ?, ?, ?) as expired (key, mesh, member, door)
        where k.key = expired.key and k.mesh = expired.mesh and k.member = expired.member and k.door = expired.door
            and k.status in ('committed', 'rejected')
            and k.expires_at <= now()
        """;

    /** Expired rows, locked, without those that other transactions have locked. */
    List<KeyEntry> lock(Tx tx, int limit) throws SQLException {
        return tx.query(LOCK, KeyStore::entry, limit);
    }

    /** Extends the keys whose originals need them longer. */
    void prolong(Tx tx, List<KeyEntry> expired, Map<UUID, Instant> needed) throws SQLException {
        List<KeyEntry> kept = expired.stream()
                .filter(entry -> needed.containsKey(entry.original()))
                .toList();
        List<Object> parameters = new ArrayList<>(identities(kept));
        parameters.add(kept.stream()
                .map(entry ->
                        Objects.requireNonNull(needed.get(entry.original())).toString())
                .toArray(String[]::new));
        tx.update(PROLONG, parameters.toArray());
    }

    /** Deletes those of the rows that are still expired, and returns their number. */
    int forget(Tx tx, List<KeyEntry> expired) throws SQLException {
        return tx.update(FORGET, identities(expired).toArray());
    }

    private static List<Object> identities(List<KeyEntry> entries) {
        KeyColumns keys = KeyColumns.of(entries, KeyEntry::key);
        return List.of(
                keys.keys(),
                keys.meshes(),
                keys.members(),
                new Columns<>(entries).texts(entry -> entry.keyKind().column()));
    }
}
