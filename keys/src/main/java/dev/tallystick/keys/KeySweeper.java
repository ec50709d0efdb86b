package dev.tallystick.keys;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Deletes keys whose answers are final and whose retention is over. Any number of instances may sweep at once. It never
 * deletes pending or unknown keys, however old they are, nor a key that its job or message still {@linkplain KeyNeeds needs}.
 */
public final class KeySweeper {

    static final int BATCH = 1_000;

    private final Database database;
    private final KeyNeeds needs;
    private final CrashPoints crashPoints;
    private final ExpiredKeyStore store = new ExpiredKeyStore();

    public KeySweeper(Database database, KeyNeeds needs, CrashPoints crashPoints) {
        this.database = database;
        this.needs = needs;
        this.crashPoints = crashPoints;
    }

    /**
     * Deletes expired keys in batches of bounded size, each in its own transaction.
     *
     * @param maxBatches the maximum number of batches, so that a sweep does not hog the database
     * @return how many keys were deleted
     */
    public long sweep(int maxBatches) {
        long forgotten = 0;
        for (int batch = 0; batch < maxBatches; batch++) {
            Swept swept = sweepOnce();
            forgotten += swept.forgotten();
            if (swept.expired() < BATCH) {
                break;
            }
        }
        return forgotten;
    }

    /** How many had expired, and how many of them were deleted. */
    private record Swept(int expired, int forgotten) {}

    private Swept sweepOnce() {
        return database.transact("sweep expired keys", tx -> {
            List<KeyEntry> expired = store.lock(tx, BATCH);
            if (expired.isEmpty()) {
                return new Swept(0, 0);
            }
            Map<UUID, Instant> needed = needs.neededUntil(
                    tx, expired.stream().map(KeyEntry::original).toList());
            if (!needed.isEmpty()) {
                store.prolong(tx, expired, needed);
            }
            int forgotten = store.forget(tx, expired);
            crashPoints.reached(KeysCrashPoint.SWEEP_WRITTEN);
            return new Swept(expired.size(), forgotten);
        });
    }
}
