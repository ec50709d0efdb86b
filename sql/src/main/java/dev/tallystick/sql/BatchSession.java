package dev.tallystick.sql;

import java.sql.SQLException;
import java.time.Duration;

/**
 * A session for batches, each under the settings of {@link SessionStore#openingOfBatch}. Primitives look up a few hundred rows
 * at a time by key, so each statement has one good plan: nested loops over the indexes. The settings force Postgres to make
 * this plan and keep it; otherwise it would plan long statements again for every batch.
 *
 * <p>A plan that was made for an empty table may scan the whole table. So the session discards its plans while the tables
 * grow: whenever it has handled twice as many items as when they were made, and from time to time.
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

    /** Call this in the transaction of a batch, before its statements. */
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
