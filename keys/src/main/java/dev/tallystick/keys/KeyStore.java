package dev.tallystick.keys;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
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
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The key table. One method is one statement; the caller owns the transaction.
 *
 * <p>A statement over many keys gets each of them once, and inserts or locks them in the order of the primary key: two
 * overlapping batches wait for each other in one direction only.
 */
final class KeyStore {

    // List the columns: a prepared "*" breaks when a later migration adds a column.
    static final String COLUMNS = """
        k.key, k.mesh, k.member, k.door, k.status, k.fingerprint, k.destination, k.original_id,
            k.response, k.history_id, k.history_available, k.first_seen_at, k.expires_at,
            k.transactional, k.owner, k.fence\
        """;

    // The order of insertion is the lock order, so the statement sorts and does not rely on the caller. An erased key
    // is
    // bound; without a salt there is none, and its look-up ends before it touches the index.
    private static final String INSERT_ACCEPTED = """
        insert into tally.key as k (
            key, mesh, member, door, status, fingerprint, destination, original_id,
            response, history_id, history_available, expires_at)
        select
            key, mesh, member, 'accept', 'committed', fingerprint, destination, original_id,
            response, history_id, history_id is not null, now() + ? * interval '1 hour'
        from (
            select unnest(?) as key, unnest(?) as mesh, unnest(?) as member, unnest(?) as fingerprint,
                unnest(?) as destination, unnest(?) as original_id, unnest(?) as response, unnest(?) as history_id
        ) as claim
        where (
            select 1
            from tally.key e
            where e.key = tally.erased_key((select salt from tally.key_salt), claim.mesh, claim.member, claim.key)
                and e.mesh = claim.mesh and e.member = claim.member and e.door = 'accept'
            limit 1
        ) is null
        order by key collate "C", mesh collate "C", member collate "C"
        on conflict (key, mesh, member, door) do nothing
        returning k.original_id, k.first_seen_at, k.expires_at
        """;

    private static final String INSERT_PENDING = """
        insert into tally.key as k (
            key, mesh, member, door, status, fingerprint, original_id, transactional, owner, fence)
        select
            key, mesh, member, 'reserve', 'pending', fingerprint, original_id, transactional, owner, ?
        from unnest(?, ?, ?, ?, ?, ?, ?)
            as claim (key, mesh, member, fingerprint, original_id, transactional, owner)
        order by key collate "C", mesh collate "C", member collate "C"
        on conflict (key, mesh, member, door) do nothing
        returning %s
        """.formatted(COLUMNS);

    // "limit 1" forces a lookup key by key. A plain join would scan all keys of the door while there are few, and
    // every request begins with it.
    private static final String READ = """
        select %s, wanted.key as wanted_key, k.is_erased
        from unnest(?, ?, ?) as wanted (key, mesh, member)
        cross join lateral (
            (
                select *, false as is_erased
                from tally.key
                where key = wanted.key and mesh = wanted.mesh and member = wanted.member and door = ?
            )
            union all
            (
                select *, true as is_erased
                from tally.key
                where key = tally.erased_key(
                        (select salt from tally.key_salt), wanted.mesh, wanted.member, wanted.key)
                    and mesh = wanted.mesh and member = wanted.member and door = ?
            )
            limit 1
        ) k
        """.formatted(COLUMNS);

    private static final String LOCK = """
        select %s
        from unnest(?, ?, ?) as wanted (key, mesh, member)
        join tally.key k
            on k.key = wanted.key and k.mesh = wanted.mesh and k.member = wanted.member and k.door = ?
        order by k.key, k.mesh, k.member
        for update of k
        """.formatted(COLUMNS);

    private static final String LOCK_FREE = LOCK + """
        skip locked
        """;

    // A running transactional handler holds this lock: a locked row has a live runner.
    private static final String LOCK_IF_FREE = """
        select %s
        from tally.key k
        where key = ? and mesh = ? and member = ? and door = 'reserve' and status = 'pending' and transactional
        for update skip locked
        """.formatted(COLUMNS);

    // "not in": for "in ('pending', …)" the planner would scan the index of open rows.
    private static final String SETTLE = """
        update tally.key k
        set status = verdict.status,
            response = verdict.response,
            expires_at = case when verdict.status <> 'outcome_unknown' then now() + ? * interval '1 hour' end
        from unnest(?, ?, ?, ?, ?, ?, ?, ?)
            as verdict (key, mesh, member, original_id, owner, fence, status, response)
        where k.key = verdict.key and k.mesh = verdict.mesh and k.member = verdict.member and k.door = 'reserve'
            and k.status not in ('committed', 'rejected')
            and k.original_id = verdict.original_id and k.owner = verdict.owner and k.fence = verdict.fence
        returning %s
        """.formatted(COLUMNS);

    private static final String RELEASE = """
        delete from tally.key k
        using unnest(?, ?, ?, ?, ?, ?) as held (key, mesh, member, original_id, owner, fence)
        where k.key = held.key and k.mesh = held.mesh and k.member = held.member and k.door = 'reserve'
            and k.status not in ('committed', 'rejected')
            and k.original_id = held.original_id and k.owner = held.owner and k.fence = held.fence
        returning %s
        """.formatted(COLUMNS);

    private static final String WITHDRAW = """
        delete from tally.key k
        using unnest(?, ?, ?, ?) as mine (key, mesh, member, original_id)
        where k.key = mine.key and k.mesh = mine.mesh and k.member = mine.member and k.door = 'accept'
            and k.original_id = mine.original_id
        """;

    private static final String FORGET_HISTORY = """
        update tally.key k
        set history_available = false
        from unnest(?, ?, ?) as gone (key, mesh, member)
        where k.key = gone.key and k.mesh = gone.mesh and k.member = gone.member and k.door = 'accept'
        """;

    private static final String TAKE_OVER = """
        update tally.key k
        set owner = ?, fence = fence + 1
        where key = ? and mesh = ? and member = ? and door = 'reserve'
            and status not in ('committed', 'rejected')
            and original_id = ? and owner = ? and fence = ?
        returning %s
        """.formatted(COLUMNS);

    private static final String LOCK_ORPHANS = """
        select %s
        from tally.key k
        where owner = ? and status = 'pending'
        order by key, mesh, member
        limit ?
        for update skip locked
        """.formatted(COLUMNS);

    private static final String UNRESOLVED = """
        select %s
        from tally.key k
        where status in ('pending', 'outcome_unknown')
        order by first_seen_at, key, mesh, member
        limit ?
        """.formatted(COLUMNS);

    private static final String UNRESOLVED_IN = """
        select %s
        from tally.key k
        where status in ('pending', 'outcome_unknown') and mesh = ?
        order by first_seen_at, key, member
        limit ?
        """.formatted(COLUMNS);

    private static final String RESERVED_IN = """
        select %s
        from tally.key k
        where key = ? and mesh = ? and door = 'reserve'
        order by member
        """.formatted(COLUMNS);

    private final Map<String, String> statementsWith = new ConcurrentHashMap<>();

    /** Binds the free keys; returns nothing for the others. */
    List<KeyEntry> insertAccepted(Tx tx, List<AcceptClaim> claims, KeyRetention retention) throws SQLException {
        return bind(tx, INSERT_ACCEPTED, claims, accepted(claims, retention));
    }

    /** As {@link #insertAccepted}, and writes the rows for the free keys. */
    List<KeyEntry> insertAcceptedWith(Tx tx, List<AcceptClaim> claims, KeyRetention retention, RidingInserts writes)
            throws SQLException {
        List<Object> parameters = new ArrayList<>(accepted(claims, retention));
        parameters.addAll(writes.parameters());
        String statement = statementsWith.computeIfAbsent(
                writes.expressions(),
                expressions -> "with bound as (\n" + INSERT_ACCEPTED + "),\n" + expressions
                        + "select original_id, first_seen_at, expires_at from bound");
        return bind(tx, statement, claims, parameters);
    }

    /** Only the database's clock is read back; the claims contain the rest. */
    private static List<KeyEntry> bind(Tx tx, String statement, List<AcceptClaim> claims, List<Object> parameters)
            throws SQLException {
        Map<UUID, AcceptClaim> byOriginal = HashMap.newHashMap(claims.size());
        claims.forEach(claim -> byOriginal.put(claim.original(), claim));
        return tx.query(
                statement,
                row -> Objects.requireNonNull(byOriginal.get(row.getObject("original_id", UUID.class)))
                        .bound(instant(row, "first_seen_at"), instant(row, "expires_at")),
                parameters.toArray());
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(Tx.instant(row, column));
    }

    private static List<Object> accepted(List<AcceptClaim> claims, KeyRetention retention) {
        KeyColumns keys = KeyColumns.of(claims, AcceptClaim::key);
        Columns<AcceptClaim> of = new Columns<>(claims);
        return List.of(
                retention.hours(),
                keys.keys(),
                keys.meshes(),
                keys.members(),
                of.bytes(claim -> claim.fingerprint().bytes()),
                of.texts(claim -> claim.destination().toString()),
                of.uuids(AcceptClaim::original),
                of.bytes(claim -> bytes(claim.response())),
                of.uuids(AcceptClaim::history));
    }

    /** Reserves the free keys; the rows of the others are not returned. */
    List<KeyEntry> insertPending(Tx tx, List<ReserveClaim> claims) throws SQLException {
        KeyColumns keys = KeyColumns.of(claims, ReserveClaim::key);
        Columns<ReserveClaim> of = new Columns<>(claims);
        return tx.query(
                INSERT_PENDING,
                KeyStore::entry,
                Reservation.FIRST_FENCE,
                keys.keys(),
                keys.meshes(),
                keys.members(),
                of.bytes(claim -> claim.fingerprint().bytes()),
                of.uuids(ReserveClaim::id),
                of.flags(ReserveClaim::transactional),
                of.texts(claim -> claim.owner().name()));
    }

    List<KeyEntry> read(Tx tx, KeyKind keyKind, Collection<ScopedKey> wanted) throws SQLException {
        KeyColumns keys = KeyColumns.of(wanted, key -> key);
        return tx.query(
                READ,
                row -> row.getBoolean("is_erased")
                        ? entry(row).erasedAs(new IdempotencyKey(row.getString("wanted_key")))
                        : entry(row),
                keys.keys(),
                keys.meshes(),
                keys.members(),
                keyKind.column(),
                keyKind.column());
    }

    /** Reads the rows and keeps them locked. */
    List<KeyEntry> lock(Tx tx, KeyKind keyKind, Collection<ScopedKey> wanted) throws SQLException {
        KeyColumns keys = KeyColumns.of(wanted, key -> key);
        return tx.query(LOCK, KeyStore::entry, keys.keys(), keys.meshes(), keys.members(), keyKind.column());
    }

    /** As {@link #lock}, without the rows that other transactions have locked. */
    List<KeyEntry> lockFree(Tx tx, KeyKind keyKind, Collection<ScopedKey> wanted) throws SQLException {
        KeyColumns keys = KeyColumns.of(wanted, key -> key);
        return tx.query(LOCK_FREE, KeyStore::entry, keys.keys(), keys.meshes(), keys.members(), keyKind.column());
    }

    /** The pending transactional row under this key, locked; empty if there is none or another transaction has locked it. */
    Optional<KeyEntry> lockIfFree(Tx tx, ScopedKey key) throws SQLException {
        return tx.first(
                LOCK_IF_FREE,
                KeyStore::entry,
                key.key().value(),
                key.scope().mesh(),
                key.scope().member());
    }

    /** Writes the verdicts of the holders that still hold their reservations, and returns their rows. */
    List<KeyEntry> settle(Tx tx, List<Settlement> settlements, KeyRetention retention) throws SQLException {
        HolderColumns holders = HolderColumns.of(settlements);
        Columns<Settlement> of = new Columns<>(settlements);
        return tx.query(
                SETTLE,
                KeyStore::entry,
                retention.hours(),
                holders.keys().keys(),
                holders.keys().meshes(),
                holders.keys().members(),
                holders.ids(),
                holders.owners(),
                holders.fences(),
                of.texts(settlement -> statusAfter(settlement.verdict()).column()),
                of.bytes(settlement ->
                        settlement.verdict() instanceof Verdict.Answer answer ? bytes(answer.response()) : null));
    }

    /** Deletes the rows of the holders that still hold their reservations, and returns the deleted rows. */
    List<KeyEntry> release(Tx tx, List<Settlement> settlements) throws SQLException {
        HolderColumns holders = HolderColumns.of(settlements);
        return tx.query(
                RELEASE,
                KeyStore::entry,
                holders.keys().keys(),
                holders.keys().meshes(),
                holders.keys().members(),
                holders.ids(),
                holders.owners(),
                holders.fences());
    }

    /** Deletes the rows that these very claims created, and returns their number. */
    int withdraw(Tx tx, List<AcceptClaim> claims) throws SQLException {
        KeyColumns keys = KeyColumns.of(claims, AcceptClaim::key);
        return tx.update(
                WITHDRAW,
                keys.keys(),
                keys.meshes(),
                keys.members(),
                new Columns<>(claims).uuids(AcceptClaim::original));
    }

    void forgetHistory(Tx tx, Collection<ScopedKey> gone) throws SQLException {
        KeyColumns keys = KeyColumns.of(gone, key -> key);
        tx.update(FORGET_HISTORY, keys.keys(), keys.meshes(), keys.members());
    }

    /** Makes {@code successor} the owner of an unsettled row that the caller has locked. */
    Optional<KeyEntry> takeOver(Tx tx, Reservation held, KeyOwner successor) throws SQLException {
        return tx.first(
                TAKE_OVER,
                KeyStore::entry,
                successor.name(),
                held.key().key().value(),
                held.key().scope().mesh(),
                held.key().scope().member(),
                held.id(),
                held.owner().name(),
                held.fence());
    }

    /** Pending rows of one owner, locked, without those that other transactions have locked. */
    List<KeyEntry> lockOrphans(Tx tx, KeyOwner owner, int limit) throws SQLException {
        return tx.query(LOCK_ORPHANS, KeyStore::entry, owner.name(), limit);
    }

    /** The pending and unknown keys, the oldest first. */
    List<KeyEntry> unresolved(Tx tx, int limit) throws SQLException {
        return tx.query(UNRESOLVED, KeyStore::entry, limit);
    }

    /** As {@link #unresolved(Tx, int)}, in one mesh. */
    List<KeyEntry> unresolved(Tx tx, String mesh, int limit) throws SQLException {
        return tx.query(UNRESOLVED_IN, KeyStore::entry, mesh, limit);
    }

    /** The reservations of all members of a mesh under one key. */
    List<KeyEntry> reserved(Tx tx, String mesh, IdempotencyKey key) throws SQLException {
        return tx.query(RESERVED_IN, KeyStore::entry, key.value(), mesh);
    }

    static KeyStatus statusAfter(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Commit commit -> KeyStatus.COMMITTED;
            case Verdict.Reject reject -> KeyStatus.REJECTED;
            case Verdict.Unknown unknown -> KeyStatus.OUTCOME_UNKNOWN;
            case Verdict.Release release -> throw new IllegalArgumentException("a released key has no status");
        };
    }

    static KeyEntry entry(ResultSet row) throws SQLException {
        byte[] response = row.getBytes("response");
        String destination = row.getString("destination");
        String owner = row.getString("owner");
        return new KeyEntry(
                new ScopedKey(
                        new Scope(row.getString("mesh"), row.getString("member")),
                        new IdempotencyKey(row.getString("key"))),
                KeyKind.ofColumn(row.getString("door")),
                KeyStatus.ofColumn(row.getString("status")),
                Fingerprint.of(row.getBytes("fingerprint")),
                destination == null ? null : Destination.parse(destination),
                row.getObject("original_id", UUID.class),
                response == null ? null : StoredResponse.of(response),
                row.getObject("history_id", UUID.class),
                row.getBoolean("history_available"),
                instant(row, "first_seen_at"),
                Tx.instant(row, "expires_at"),
                owner == null
                        ? null
                        : new KeyEntry.Hold(new KeyOwner(owner), row.getLong("fence"), row.getBoolean("transactional")),
                false);
    }

    private static byte @Nullable [] bytes(@Nullable StoredResponse response) {
        return response == null ? null : response.bytes();
    }
}
