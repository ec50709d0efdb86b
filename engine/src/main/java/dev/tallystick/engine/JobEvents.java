package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.Optional;

/**
 * What happened to a job, for readers who remember how far they have come.
 *
 * <p>Invariant (R18): when a position can be read, nothing with a lower one will ever appear. Positions are given after the
 * commit of what they number, by whoever reads, one at a time for each job. Thread-safe.
 */
public final class JobEvents {

    public static final int LARGEST_PAGE = 1_000;

    /** The position before the first. */
    public static final long BEGINNING = 0;

    private final Database database;
    private final JobEventStore store = new JobEventStore();

    public JobEvents(Database database) {
        this.database = database;
    }

    /** What comes after a position, in order. Whoever goes on from the last one that it got misses nothing. */
    public List<JobEvent> read(String mesh, JobId job, long after, int limit) {
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException("a page has 1 to " + LARGEST_PAGE + " events, got " + limit);
        }
        List<JobEvent> numbered = database.transact("read events", tx -> store.read(tx, mesh, job, after, limit));
        if (numbered.size() == limit) {
            return numbered;
        }
        return database.transact("number events", tx -> {
            Optional<Long> last = store.lock(tx, mesh, job);
            if (last.isPresent()) {
                int fresh = store.number(tx, job, last.get(), LARGEST_PAGE);
                if (fresh > 0) {
                    store.advance(tx, job, fresh);
                }
            }
            return store.read(tx, mesh, job, after, limit);
        });
    }
}
