package dev.tallystick.broker;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;

/** Gives positions to what is committed. Any number of them may run; one of them numbers at a time. */
final class Sequencer {

    private static final int BATCH = 1_000;

    private final Database database;
    private final CrashPoints crashPoints;
    private final HistoryStore store = new HistoryStore();

    Sequencer(Database database, CrashPoints crashPoints) {
        this.database = database;
        this.crashPoints = crashPoints;
    }

    /** Numbers what is committed by now, and returns how many there were. */
    long run() {
        long all = 0;
        int numbered;
        do {
            numbered = database.transact("number history", tx -> {
                int fresh = store.number(tx, store.lockEnd(tx), BATCH);
                if (fresh > 0) {
                    store.advance(tx, fresh);
                }
                crashPoints.reached(BrokerCrashPoint.NUMBERED);
                return fresh;
            });
            all += numbered;
        } while (numbered == BATCH);
        return all;
    }
}
