package dev.tallystick.keys;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;

/** Replaces keys by their hashes. One method is one statement; the caller owns the transaction. */
final class ErasedKeyStore {

    private static final String OF_ORIGINAL = """
        select key, mesh, member
        from tally.key
        where original_id = ? and mesh = ? and door = 'accept' and not starts_with(key, 'erased:')
        """;

    private static final String ENSURE_SALT = """
        insert into tally.key_salt (salt)
        values (?)
        on conflict (one_row) do nothing
        """;

    private static final String COVER = """
        insert into tally.key (
            key, mesh, member, door, status, fingerprint, destination, original_id,
            response, history_id, first_seen_at, expires_at)
        select
            tally.erased_key((select salt from tally.key_salt), mesh, member, key), mesh, member, door, status, ?, destination,
            original_id, response, history_id, first_seen_at, expires_at
        from tally.key
        where key = ? and mesh = ? and member = ? and door = 'accept'
        on conflict (key, mesh, member, door) do nothing
        """;

    // Waits for the transactions that have written keys. Later ones begin their statements when this one has ended, and
    // so they find the hashes.
    private static final String HOLD_BINDING = "lock table tally.key in share row exclusive mode";

    private static final String REMOVE = """
        delete from tally.key k
        using unnest(?, ?, ?) as covered (key, mesh, member)
        where k.key = covered.key and k.mesh = covered.mesh and k.member = covered.member and k.door = 'accept'
            and exists (
                select
                from tally.key e
                where e.key = tally.erased_key((select salt from tally.key_salt), k.mesh, k.member, k.key)
                    and e.mesh = k.mesh and e.member = k.member and e.door = 'accept'
                    and e.original_id = k.original_id)
        """;

    /** The text of the key behind a job or message, unless it is erased. */
    Optional<ScopedKey> ofOriginal(Tx tx, String mesh, UUID original) throws SQLException {
        return tx.first(
                OF_ORIGINAL,
                row -> new ScopedKey(
                        new Scope(row.getString("mesh"), row.getString("member")),
                        new IdempotencyKey(row.getString("key"))),
                original,
                mesh);
    }

    void ensureSalt(Tx tx, byte[] salt) throws SQLException {
        tx.update(ENSURE_SALT, salt);
    }

    void cover(Tx tx, ScopedKey key, byte[] fingerprint) throws SQLException {
        tx.update(
                COVER,
                fingerprint,
                key.key().value(),
                key.scope().mesh(),
                key.scope().member());
    }

    void holdBinding(Tx tx) throws SQLException {
        tx.update(HOLD_BINDING);
    }

    void remove(Tx tx, Collection<ScopedKey> covered) throws SQLException {
        KeyColumns keys = KeyColumns.of(covered, key -> key);
        tx.update(REMOVE, keys.keys(), keys.meshes(), keys.members());
    }
}
