package dev.tallystick.broker.message;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Processes the whole history of all meshes asynchronously. Processing the entries and recording the position is one
 * transaction. Only one follower of a name runs at a time; the others do not wait for it.
 */
public final class Follower {

    private static final int BATCH = 200;

    /** Processes the entries. */
    public interface Step {
        void take(Tx tx, List<History.Entry> entries) throws SQLException;
    }

    private final Database database;
    private final String name;
    private final Step step;
    private final FollowerStore store = new FollowerStore();
    private final HistoryStore history = new HistoryStore();

    public Follower(Database database, String name, Step step) {
        this.database = database;
        this.name = name;
        this.step = step;
    }

    /** Processes everything that has a position by now. */
    public void run() {
        int taken;
        do {
            taken = database.transact("follow history: " + name, tx -> {
                store.begin(tx, name);
                Optional<Long> position = store.lock(tx, name);
                if (position.isEmpty()) {
                    return 0;
                }
                List<History.Entry> entries = history.all(tx, position.get(), BATCH);
                if (!entries.isEmpty()) {
                    step.take(tx, entries);
                    store.move(tx, name, entries.getLast().position());
                }
                return entries.size();
            });
        } while (taken == BATCH);
    }
}
