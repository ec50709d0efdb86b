package dev.tallystick.broker.message;

import dev.tallystick.broker.model.Message;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Full-text search over messages. A message can be found shortly after it is accepted: indexing follows the history, outside of
 * the accepting transaction. Thread-safe.
 */
public final class Search {

    /** Only this much of a message is indexed. */
    static final int MAX_TEXT = 64 * 1024;

    private static final int MAX_QUERY = 1_000;

    /** Postgres has room for 32 operators that are waiting for their word. */
    private static final int MAX_MINUS_SIGNS = 20;

    private static final String NAME = "search";

    /** The words of a message. */
    record Text(UUID message, String mesh, long position, String text) {}

    private final Database database;
    private final FollowerStore store = new FollowerStore();
    private final Follower follower;

    public Search(Database database) {
        this.database = database;
        this.follower = new Follower(database, NAME, this::index);
    }

    /**
     * The messages of a mesh that contain all words and quoted phrases of a query, and none of those prefixed with a minus.
     *
     * @param after the position to continue from, as of {@link History}
     * @throws IllegalArgumentException if the query is longer, or has more minus signs, than Postgres is sure to take
     */
    public History.Page find(String mesh, String query, long after, int limit) {
        History.requireLimit(limit);
        requireSearchable(query);
        return History.page(after, database.read("search", tx -> store.search(tx, mesh, query, after, limit)));
    }

    private static void requireSearchable(String query) {
        if (query.length() > MAX_QUERY) {
            throw new IllegalArgumentException("a search has at most " + MAX_QUERY + " characters");
        }
        if (query.chars().filter(each -> each == '-').count() > MAX_MINUS_SIGNS) {
            throw new IllegalArgumentException("a search has at most " + MAX_MINUS_SIGNS + " minus signs");
        }
        if (query.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a search has no NUL character");
        }
    }

    public void run() {
        follower.run();
    }

    private void index(Tx tx, List<History.Entry> entries) throws SQLException {
        store.index(
                tx,
                entries.stream()
                        .map(entry -> new Text(
                                entry.message().id(), entry.message().mesh(), entry.position(), text(entry.message())))
                        .toList());
    }

    private static String text(Message message) {
        String text = switch (message.envelope().body()) {
            case Envelope.Body.Text plain -> plain.text();
            case Envelope.Body.Document document -> words(document.json());
        };
        // Postgres does not allow NUL in text.
        return text.substring(0, Math.min(text.length(), MAX_TEXT)).replace('\0', ' ');
    }

    /** The strings of a document, without its member names and structure. */
    private static String words(Json json) {
        return switch (json) {
            case Json.ObjectValue object -> words(List.copyOf(object.members().values()));
            case Json.ArrayValue array -> words(array.elements());
            case Json.StringValue string -> string.value();
            case Json.NumberValue number -> number.canonical();
            case Json.BooleanValue truth -> "";
            case Json.NullValue nothing -> "";
        };
    }

    private static String words(List<Json> values) {
        return String.join(" ", values.stream().map(Search::words).toList());
    }
}
