package dev.tallystick.engine.view;

import dev.tallystick.core.api.JobApi.EventPage.Event;
import dev.tallystick.sql.Database;
import dev.tallystick.workflow.JobId;
import java.util.List;
import java.util.Optional;

/**
 * The events of a job, for readers that remember their position.
 *
 * <p>Invariant (R18): once a position can be read, no lower one will ever appear. Readers assign positions after the events
 * have committed, one reader at a time per job. Thread-safe.
 */
public final class JobEvents {

    public static final int LARGEST_PAGE = 1_000;

    /** The position before the first event. */
    public static final long BEGINNING = 0;

    private final Database database;
    private final JobEventStore store = new JobEventStore();

    public JobEvents(Database database) {
        this.database = database;
    }

    /** The events after a position, in order. A reader that continues from the last one it received misses nothing. */
    public List<Event> read(String mesh, JobId job, long after, int limit) {
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException("a page has 1 to " + LARGEST_PAGE + " events, got " + limit);
        }
        List<Event> numbered = database.read("read events", tx -> store.read(tx, mesh, job, after, limit));
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
