package dev.tallystick.engine.upkeep;

import dev.tallystick.engine.model.Queues;
import dev.tallystick.engine.view.Unclaimed;
import dev.tallystick.engine.view.UnclaimedStore;
import dev.tallystick.sql.Database;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects jobs whose code is gone. A job keeps the version that it began with, so it waits, unharmed, for a process that has
 * that version; an operator must learn of it.
 */
public final class UnclaimedWatch {

    private static final Logger LOG = LoggerFactory.getLogger(UnclaimedWatch.class);

    private final Database database;
    private final Predicate<String> registered;
    private final Duration patience;
    private final UnclaimedStore store = new UnclaimedStore();

    /**
     * @param registered whether a workflow version can run here; its due jobs only wait for room
     * @param patience how long a job must be due before a warning
     */
    public UnclaimedWatch(Database database, Predicate<String> registered, Duration patience) {
        this.database = database;
        this.registered = registered;
        this.patience = patience;
    }

    /** The jobs that have been due for longer than {@code duration}, of versions that are not registered here. */
    public List<Unclaimed> look(Duration duration) {
        return database.read("look for unclaimed jobs", tx -> store.due(tx, duration)).stream()
                .filter(each -> !registered.test(Queues.of(each.workflow(), each.version())))
                .toList();
    }

    public void warn() {
        look(patience).forEach(each -> LOG.warn("{}", each.advice()));
    }
}
