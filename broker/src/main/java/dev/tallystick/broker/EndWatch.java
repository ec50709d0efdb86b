package dev.tallystick.broker;

import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;

/**
 * Where the broker hears of the ends of jobs. Each call is in a transaction of the broker's, so that who asked to be told, who is
 * told, and of what nobody has to be told any more never contradict each other. Thread-safe.
 */
public interface EndWatch {

    /** From now on the ends of the workflow's jobs are kept, for this watcher among others. */
    void watch(Tx tx, String watcher, String mesh, String workflow) throws SQLException;

    /** This watcher wants to hear no more. */
    void unwatch(Tx tx, String watcher) throws SQLException;

    /** Takes what was kept; what is taken here is not kept any more. */
    List<Announcement> take(Tx tx, int limit) throws SQLException;

    /** Where jobs never end. */
    EndWatch NONE = new EndWatch() {

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
