package dev.tallystick.broker.message;

import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.Message;
import dev.tallystick.core.Destination;
import dev.tallystick.sql.Database;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Accepted messages in the order of their positions, numbered per mesh. One sequencer at a time assigns positions, after the
 * message is durable: a reader that has reached a position has seen everything up to it and misses nothing by continuing from
 * there. Thread-safe.
 */
public final class History {

    public static final int MAX_PAGE = 500;

    /** The position before the first. */
    public static final long BEGINNING = 0;

    /** A message and its position. */
    public record Entry(long position, UUID id, Message message) {}

    /**
     * A page of entries.
     *
     * @param next the position to continue from: the last entry's, or the requested one if there are no entries
     */
    public record Page(List<Entry> entries, long next) {}

    private final Database database;
    private final HistoryStore store = new HistoryStore();

    public History(Database database) {
        this.database = database;
    }

    /**
     * The entries after a position.
     *
     * @param destination a workflow, topic, queue or member; null for the whole mesh
     */
    public Page read(String mesh, @Nullable Destination destination, long after, int limit) {
        requireLimit(limit);
        return page(
                after,
                database.read(
                        "read history",
                        tx -> destination == null
                                ? store.ofMesh(tx, mesh, after, limit)
                                : store.of(tx, mesh, destination, after, limit)));
    }

    /** The messages that mention a member, by its ID, after a position. */
    public Page mentions(String mesh, String id, long after, int limit) {
        requireLimit(limit);
        return page(after, database.read("read mentions", tx -> store.mentions(tx, mesh, id, after, limit)));
    }

    /** The keys that messages, and jobs made of messages, were submitted under; of those that can still be read. */
    public Map<UUID, String> keysOf(String mesh, Collection<UUID> messages) {
        return messages.isEmpty() ? Map.of() : database.read("read keys", tx -> store.keys(tx, mesh, messages));
    }

    /** A message that the member sent, that was sent to it, or that all may read. */
    public Optional<Message> message(Member reader, UUID id) {
        return database.read("read message", tx -> store.messageFor(tx, reader, id));
    }

    /** Empty if the mesh has no such message, or no longer. */
    public Optional<Message> message(String mesh, UUID id) {
        return database.read("read message", tx -> store.message(tx, mesh, id));
    }

    static Page page(long after, List<Entry> entries) {
        return new Page(entries, entries.isEmpty() ? after : entries.getLast().position());
    }

    static void requireLimit(int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("a page has 1 to " + MAX_PAGE + " entries, not " + limit);
        }
    }
}
