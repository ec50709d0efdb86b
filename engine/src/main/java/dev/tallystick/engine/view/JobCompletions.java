package dev.tallystick.engine.view;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/**
 * Reports the end of each job once. If the workflow is watched when a job ends, the transaction that ends the job keeps its end
 * until a watcher takes it. A watcher that takes ends in the same transaction that passes them on loses and repeats none.
 *
 * <p>The caller owns the transactions. Thread-safe.
 */
public final class JobCompletions {

    private final JobCompletionStore store = new JobCompletionStore();

    /** Keeps the ends of the workflow's jobs from now on. */
    public void watch(Tx tx, String watcher, String mesh, String workflow) throws SQLException {
        store.watch(tx, watcher, mesh, workflow);
    }

    /** Stops keeping ends for this watcher. */
    public void unwatch(Tx tx, String watcher) throws SQLException {
        store.unwatch(tx, watcher);
    }

    /** Takes ends that no other transaction is taking. */
    public List<JobCompletion> take(Tx tx, int limit) throws SQLException {
        return store.take(tx, limit);
    }
}
