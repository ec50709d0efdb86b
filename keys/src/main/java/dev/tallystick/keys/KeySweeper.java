package dev.tallystick.keys;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;

/**
 * Forgets keys whose answers are final and whose retention is over. Any number of instances may sweep at once. What is pending
 * or unknown is never swept, however old it is.
 */
public final class KeySweeper {

    static final int BATCH = 1_000;

    private final Database database;
    private final CrashPoints crashPoints;
    private final KeyStore store = new KeyStore();

    public KeySweeper(Database database) {
        this(database, CrashPoints.NONE);
    }

    public KeySweeper(Database database, CrashPoints crashPoints) {
        this.database = database;
        this.crashPoints = crashPoints;
    }

    /**
     * Deletes what has expired, a bounded number at a time, each in a transaction of its own.
     *
     * @param maxBatches after how many of them to stop although more has expired, so that a sweep does not hog the database
     * @return how many keys were forgotten
     */
    public long sweep(int maxBatches) {
        long forgotten = 0;
        for (int batch = 0; batch < maxBatches; batch++) {
            int deleted = sweepOnce();
            forgotten += deleted;
            if (deleted < BATCH) {
                break;
            }
        }
        return forgotten;
    }

    private int sweepOnce() {
        return database.transact("sweep expired keys", tx -> {
            int deleted = store.sweep(tx, BATCH);
            crashPoints.reached(KeysCrashPoint.SWEEP_WRITTEN);
            return deleted;
        });
    }
}
