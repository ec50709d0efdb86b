package dev.tallystick.engine;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/**
 * Tells of the ends of jobs, each once. An end is kept by the transaction that ends the job, if somebody watches the workflow
 * then, until somebody takes it; who takes it in the transaction in which it passes it on loses none and repeats none.
 *
 * <p>The caller owns the transactions. Thread-safe.
 */
public final class JobEnds {

    private final JobEndStore store = new JobEndStore();

    /** From now on ends of the workflow's jobs are kept. */
    public void watch(Tx tx, String watcher, String mesh, String workflow) throws SQLException {
        store.watch(tx, watcher, mesh, workflow);
    }

    /** This watcher wants to hear no more. */
    public void unwatch(Tx tx, String watcher) throws SQLException {
        store.unwatch(tx, watcher);
    }

    /** Takes ends that nobody else is taking. */
    public List<JobEnd> take(Tx tx, int limit) throws SQLException {
        return store.take(tx, limit);
    }
}
