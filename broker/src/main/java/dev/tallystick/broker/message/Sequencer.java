package dev.tallystick.broker.message;

import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import java.util.concurrent.atomic.AtomicInteger;

/** Assigns positions to committed entries. Several may run; one numbers at a time. */
public final class Sequencer {

    private static final int BATCH = 1_000;

    private final Database database;
    private final CrashPoints crashPoints;
    private final HistoryStore store = new HistoryStore();

    public Sequencer(Database database, CrashPoints crashPoints) {
        this.database = database;
        this.crashPoints = crashPoints;
    }

    /** Numbers everything committed so far, and returns how many entries that was. */
    public long run() {
        AtomicInteger numbered = new AtomicInteger();
        long all = 0;
        do {
            numbered.set(0);
            database.transact("number history", tx -> {
                store.number(tx, BATCH, numbered::set);
                crashPoints.reached(BrokerCrashPoint.NUMBERED);
                return true;
            });
            all += numbered.get();
        } while (numbered.get() == BATCH);
        return all;
    }
}
