package dev.tallystick.engine;

import dev.tallystick.sql.Database;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices jobs whose code is gone. A job keeps the version that it began with, so it waits, unharmed, for a process that has it;
 * somebody must be told.
 */
final class UnclaimedWatch {

    private static final Logger LOG = LoggerFactory.getLogger(UnclaimedWatch.class);

    private final Database database;
    private final Predicate<String> registered;
    private final Duration patience;
    private final UnclaimedStore store = new UnclaimedStore();

    /**
     * @param registered whether a version of a workflow can be run here, and what is due of it waits for room only
     * @param patience how long a job is due before anybody is warned of it
     */
    UnclaimedWatch(Database database, Predicate<String> registered, Duration patience) {
        this.database = database;
        this.registered = registered;
        this.patience = patience;
    }

    /** What is due for longer than {@code duration}, of versions that are not registered here. */
    List<Unclaimed> look(Duration duration) {
        return database.transact("look for unclaimed jobs", tx -> store.due(tx, duration)).stream()
                .filter(each -> !registered.test(Runner.queueOf(each.workflow(), each.version())))
                .toList();
    }

    void warn() {
        look(patience).forEach(each -> LOG.warn("{}", each.advice()));
    }
}
