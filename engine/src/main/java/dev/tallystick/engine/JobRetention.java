package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;

/** Drops closed jobs after a while, in small transactions. Keys are kept longer and by themselves. */
final class JobRetention {

    private static final int BATCH = 500;

    private final Database database;
    private final InstantSource clock;
    private final Duration kept;
    private final RetentionStore store = new RetentionStore();
    private final JobEventStore events = new JobEventStore();

    JobRetention(Database database, InstantSource clock, Duration kept) {
        this.database = database;
        this.clock = clock;
        this.kept = kept;
    }

    /** Drops all that is due, and returns how many jobs that were. */
    int sweep() {
        // A job that closed that long ago was accepted before that.
        UUID youngest = JobId.smallestAt(clock.instant().minus(kept)).value();
        int dropped = 0;
        int last;
        do {
            last = database.transact("drop closed jobs", tx -> store.drop(tx, youngest, kept, BATCH));
            dropped += last;
        } while (last == BATCH);
        database.transact("forget events", tx -> {
            events.forget(tx, youngest);
            return null;
        });
        return dropped;
    }
}
