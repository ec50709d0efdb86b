package dev.tallystick.sql;

import java.sql.SQLException;
import java.time.Duration;

/**
 * A session for batches. Primitives look up a few hundred rows at a time by key, so each statement has one good plan: nested
 * loops over the indexes. The settings force Postgres to make this plan and keep it; otherwise it would plan long statements
 * again for every batch. A session that no pooler shares makes the settings once and restores them in the end; another one
 * makes them in every batch.
 *
 * <p>A plan that was made for an empty table may scan the whole table. So the session discards its plans while the tables
 * grow: whenever it has handled twice as many items as when they were made, and from time to time.
 */
final class BatchSession implements AutoCloseable {

    private static final long PLANS_KEPT_NANOS = Duration.ofSeconds(30).toNanos();

    private final Session session;
    private final Runnable restore;
    private final Opening hasty;
    private final Opening patient;
    private long handled;
    private long handledWhenPlanned;
    private long plannedAtNanos = System.nanoTime();

    /**
     * @param restore gives the session the settings that it was found with
     * @param hasty the opening of a batch that waits only briefly for a lock
     * @param patient the opening of a batch that waits longer
     */
    BatchSession(Session session, Runnable restore, Opening hasty, Opening patient) {
        this.session = session;
        this.restore = restore;
        this.hasty = hasty;
        this.patient = patient;
    }

    Opening hasty() {
        return hasty;
    }

    Opening patient() {
        return patient;
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

    /** Returns the session as it was found. */
    @Override
    public void close() {
        restore.run();
        session.close();
    }
}
