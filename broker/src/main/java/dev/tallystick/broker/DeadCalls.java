package dev.tallystick.broker;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The calls that were given up, until somebody has them made again, deletes the webhook, or the message is no longer kept.
 * Thread-safe.
 */
public final class DeadCalls {

    public static final int MAX_PAGE = 500;

    private final Database database;
    private final Runnable due;
    private final DeadCallStore store = new DeadCallStore();

    /** @param due is told when there is a call to be made again */
    DeadCalls(Database database, Runnable due) {
        this.database = database;
        this.due = due;
    }

    /** Where a page ends. */
    public record Place(UUID message, String webhook) {}

    /**
     * A page of them, in the order in which their messages were accepted.
     *
     * @param member only those of its webhooks; of the whole mesh if null
     */
    public List<DeadCall> list(String mesh, @Nullable String member, @Nullable Place after, int limit) {
        return database.transact("list dead calls", tx -> store.list(tx, mesh, member, after, limit));
    }

    /** Whether there is such a call, given up or not. */
    public boolean has(String mesh, Place call) {
        return database.transact("find call", tx -> store.has(tx, mesh, call));
    }

    /** Has a call that was given up made again, with as many attempts as a new one. Any other is left as it is. */
    public void redrive(String mesh, Place call) {
        database.transact("redrive call", tx -> store.redrive(tx, mesh, call));
        due.run();
    }
}
