package dev.tallystick.broker;

import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes messages past their retention that no consumer waits for, with everything that belongs to them. Their keys stay, and
 * say that the message can no longer be read. Several instances may sweep at once.
 */
public final class Retention {

    static final int BATCH = 500;

    private final Database database;
    private final AcceptKeys keys;
    private final Duration kept;
    private final CrashPoints crashPoints;
    private final RetentionStore store = new RetentionStore();

    public Retention(Database database, AcceptKeys keys, Duration kept, CrashPoints crashPoints) {
        this.database = database;
        this.keys = keys;
        this.kept = kept;
        this.crashPoints = crashPoints;
    }

    public long sweep() {
        long forgotten = 0;
        int batch;
        do {
            batch = database.transact("forget old messages", tx -> {
                List<RetentionStore.Old> old = store.lockOld(tx, kept, BATCH);
                if (!old.isEmpty()) {
                    List<ScopedKey> gone = new ArrayList<>(old.size());
                    for (RetentionStore.Old each : old) {
                        if (each.key() != null) {
                            gone.add(each.key());
                        }
                    }
                    keys.forgetHistory(tx, gone);
                    store.forget(tx, old);
                    crashPoints.reached(BrokerCrashPoint.HISTORY_DELETED);
                }
                return old.size();
            });
            forgotten += batch;
        } while (batch == BATCH);
        return forgotten;
    }
}
