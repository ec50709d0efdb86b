package dev.tallystick.broker.webhook;

import dev.tallystick.sql.Database;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The abandoned webhook calls, until they are made again, the webhook is deleted, or the message is no longer kept.
 * Thread-safe.
 */
public final class DeadCalls {

    public static final int MAX_PAGE = 500;

    private final Database database;
    private final Runnable due;
    private final DeadCallStore store = new DeadCallStore();

    /** @param due called when a call is to be made again */
    public DeadCalls(Database database, Runnable due) {
        this.database = database;
        this.due = due;
    }

    /** Where a page ends. */
    public record Place(UUID message, String webhook) {}

    /**
     * A page of abandoned calls, in the order in which their messages were accepted.
     *
     * @param member only calls to its webhooks; null for the whole mesh
     */
    public List<DeadCall> list(String mesh, @Nullable String member, @Nullable Place after, int limit) {
        return database.read("list dead calls", tx -> store.list(tx, mesh, member, after, limit));
    }

    /** Whether there is such a call, abandoned or not. */
    public boolean has(String mesh, Place call) {
        return database.read("find call", tx -> store.has(tx, mesh, call));
    }

    /** Makes an abandoned call again, with as many attempts as a new one. Leaves any other call alone. */
    public void redrive(String mesh, Place call) {
        database.transact("redrive call", tx -> store.redrive(tx, mesh, call));
        due.run();
    }
}
