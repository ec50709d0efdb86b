package dev.tallystick.broker.model;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/**
 * How the broker learns of the ends of jobs. Each call runs in one of the broker's transactions, so that the watchers, the
 * announced ends and the kept ends never contradict each other. Thread-safe.
 */
public interface CompletionWatch {

    /** From now on the ends of the workflow's jobs are kept for this watcher. */
    void watch(Tx tx, String watcher, String mesh, String workflow) throws SQLException;

    /** Removes this watcher. */
    void unwatch(Tx tx, String watcher) throws SQLException;

    /** Takes and removes the kept ends. */
    List<Announcement> take(Tx tx, int limit) throws SQLException;

    /** For brokers without jobs. */
    CompletionWatch NONE = new CompletionWatch() {

        @Override
        public void watch(Tx tx, String watcher, String mesh, String workflow) {}

        @Override
        public void unwatch(Tx tx, String watcher) {}

        @Override
        public List<Announcement> take(Tx tx, int limit) {
            return List.of();
        }
    };
}
