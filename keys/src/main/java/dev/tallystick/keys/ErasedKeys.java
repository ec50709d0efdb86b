package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Erases the texts of accepted keys. A hash of each stays until the key expires, and gives repeats the first answer.
 *
 * <p>This takes two transactions. The first one adds the hash; from then on every statement that binds keys looks for it. The
 * second one removes the text when no transaction is left that may have looked before. Thread-safe.
 */
public final class ErasedKeys {

    private static final int SALT_BYTES = 32;

    /** All that binds keys waits behind this wait for a lock. */
    private static final SessionLimits BRIEF = new SessionLimits(Duration.ofMillis(200), SessionLimits.OWN.idle());

    private final Database database;
    private final RandomGenerator random;
    private final ErasedKeyStore store = new ErasedKeyStore();
    private final KeyStore keys = new KeyStore();

    /** @param random a {@link java.security.SecureRandom} */
    public ErasedKeys(Database database, RandomGenerator random) {
        this.database = database;
        this.random = random;
    }

    /** The key that made a job or message of the mesh. Scans the table. */
    public Optional<ScopedKey> find(Tx tx, String mesh, UUID original) throws SQLException {
        return store.ofOriginal(tx, mesh, original);
    }

    /** Adds the hash of a key that made this job or message; nothing if there is no such key. */
    public void cover(Tx tx, ScopedKey key, UUID original) throws SQLException {
        Optional<KeyEntry> bound = keys.lock(tx, KeyKind.ACCEPT, List.of(key)).stream()
                .filter(entry -> entry.original().equals(original))
                .findFirst();
        if (bound.isPresent()) {
            byte[] salt = new byte[SALT_BYTES];
            random.nextBytes(salt);
            store.ensureSalt(tx, salt);
            Fingerprint hidden = KeyEntry.hidden(key.key(), bound.get().fingerprint());
            store.cover(tx, key, hidden.bytes());
        }
    }

    /**
     * Removes the texts of keys that are covered, in a transaction of its own.
     *
     * @param also what else the transaction does
     * @return whether it happened; if not, a transaction that binds keys is still open, and a later call may succeed
     */
    public boolean remove(Collection<ScopedKey> covered, Also also) {
        try {
            return database.transact("remove the texts of erased keys", BRIEF, tx -> {
                store.holdBinding(tx);
                store.remove(tx, covered);
                also.write(tx);
                return true;
            });
        } catch (DefiniteFailureException e) {
            boolean busy = switch (e.reason()) {
                case LOCKED, OVERLOADED, CONFLICT -> true;
                case UNAVAILABLE, DISK_FULL, REFUSED -> false;
            };
            if (busy) {
                return false;
            }
            throw e;
        }
    }
}
