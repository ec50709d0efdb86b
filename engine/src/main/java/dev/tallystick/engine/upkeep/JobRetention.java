package dev.tallystick.engine.upkeep;

import dev.tallystick.engine.view.JobEventStore;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * Drops closed jobs after their retention period, in small transactions. Keys have a longer retention of their own, counted
 * from the end of their jobs.
 */
public final class JobRetention {

    private static final int BATCH = 500;

    private final Database database;
    private final KeyRetention keys;
    private final Duration kept;
    private final RetentionStore store = new RetentionStore();
    private final JobEventStore events = new JobEventStore();

    public JobRetention(Database database, KeyRetention keys, Duration kept) {
        this.database = database;
        this.keys = keys;
        this.kept = kept;
    }

    /** Drops all jobs that are due, and returns how many. */
    public int sweep() {
        // A job that closed before this time was also accepted before it.
        Instant now = database.transact("read the clock", SharedClock.DATABASE::now);
        UUID youngest = JobId.smallestAt(now.minus(kept)).value();
        int dropped = 0;
        int last;
        do {
            last = database.transact("drop closed jobs", tx -> store.drop(tx, youngest, kept, BATCH));
            dropped += last;
        } while (last == BATCH);
        database.transact("forget what is left of dropped jobs", tx -> {
            events.forget(tx, youngest);
            store.forgetEnds(tx, keys.duration());
            return null;
        });
        return dropped;
    }
}
