package dev.tallystick.sql;

import java.sql.SQLException;
import java.time.Duration;

/**
 * A session on which batches run, each under the settings of {@link SessionStore#openingOfBatch}. Primitives look rows up by their keys, a few hundred at a time, so
 * there is one good plan for each statement: nested loops over the indexes. Postgres is held to it, and keeps it. Left to itself
 * it plans long statements anew for every batch.
 *
 * <p>A plan that was made while a table was empty may walk the whole of it, for that was the least effort then. So plans are
 * forgotten while the tables grow: whenever twice as much was handled as when they were made, and from time to time.
 */
final class BatchSession {

    private static final long PLANS_KEPT_NANOS = Duration.ofSeconds(30).toNanos();

    private final Session session;
    private long handled;
    private long handledWhenPlanned;
    private long plannedAtNanos = System.nanoTime();

    BatchSession(Session session) {
        this.session = session;
    }

    Session session() {
        return session;
    }

    /** To be called in the transaction of a batch, before its statements. */
    void expect(Tx tx, int items) throws SQLException {
        handled += items;
        long now = System.nanoTime();
        if (handled >= 2 * handledWhenPlanned || now - plannedAtNanos > PLANS_KEPT_NANOS) {
            tx.update("discard plans");
            handledWhenPlanned = handled;
            plannedAtNanos = now;
        }
    }
}
