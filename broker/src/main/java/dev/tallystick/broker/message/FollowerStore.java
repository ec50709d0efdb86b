package dev.tallystick.broker.message;

import dev.tallystick.broker.model.MessageColumns;
import dev.tallystick.sql.Columns;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The positions of followers, and the search index. One method is one statement. */
final class FollowerStore {

    private static final String BEGIN = """
            insert into tally.follower (name, position)
            values (?, 0)
            on conflict (name) do nothing
            """;

    private static final String LOCK = """
            select position
            from tally.follower
            where name = ?
            for update skip locked
            """;

    private static final String MOVE = """
            update tally.follower
            set position = ?
            where name = ?
            """;

    // Keeps existing rows: a follower may be reset to the beginning.
    private static final String INDEX = """
            insert into tally.search (message_id, mesh, position, words)
            select message_id, mesh, position, to_tsvector('simple', text)
            from unnest(?::uuid[], ?::text[], ?::bigint[], ?::text[]) as i (message_id, mesh, position, text)
            on conflict (message_id) do nothing
            """;

    private static final String SEARCH = """
            select h.mesh_position as position, h.id as history_id, %s
            from tally.search s
            join tally.message m on m.id = s.message_id
            join tally.history h on h.message_id = s.message_id
            where s.mesh = ? and h.mesh_position > ? and s.words @@ websearch_to_tsquery('simple', ?)
            order by h.mesh_position
            limit ?
            """.formatted(MessageColumns.SELECTED);

    void begin(Tx tx, String name) throws SQLException {
        tx.update(BEGIN, name);
    }

    /**
     * Locks and returns the position of a follower until the transaction ends; empty if another follower of this name is
     * running.
     */
    Optional<Long> lock(Tx tx, String name) throws SQLException {
        return tx.first(LOCK, row -> row.getLong("position"), name);
    }

    void move(Tx tx, String name, long position) throws SQLException {
        tx.update(MOVE, position, name);
    }

    void index(Tx tx, List<Search.Text> texts) throws SQLException {
        Columns<Search.Text> of = new Columns<>(texts);
        tx.update(
                INDEX,
                of.uuids(Search.Text::message),
                of.texts(Search.Text::mesh),
                of.longs(Search.Text::position),
                of.texts(Search.Text::text));
    }

    List<History.Entry> search(Tx tx, String mesh, String query, long after, int limit) throws SQLException {
        return tx.query(SEARCH, HistoryStore::entry, mesh, after, query, limit);
    }
}
