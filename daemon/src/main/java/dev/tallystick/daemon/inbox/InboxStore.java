package dev.tallystick.daemon.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of the inbox. One method is one statement; the caller owns the transaction. For one thread. */
final class InboxStore {

    private static final String INSERT = """
            insert into event (kind, subject, at, data)
            values (?, ?, ?, ?)
            on conflict (kind, subject) do nothing
            """;

    private static final String AFTER = """
            select position, kind, subject, at, data
            from event
            where position > ? and (? is null or kind = ?)
            order by position
            limit ?
            """;

    private static final String CURSOR = "select position from cursor where name = ?";

    private static final String MOVE = """
            insert into cursor (name, position)
            values (?, ?)
            on conflict (name) do update set position = max(position, excluded.position)
            """;

    private static final String FORGET = """
            delete from event
            where position in (select position from event where at < ? order by at limit ?)
            """;

    // SQLite's own table of the numbers that it has given.
    private static final String BEGIN_AFTER = """
            insert into sqlite_sequence (name, seq)
            select 'event', ?
            where not exists (select 1 from sqlite_sequence where name = 'event')
            """;

    private static final String LAST = "select coalesce(max(position), 0) from event";

    private final Connection connection;

    InboxStore(Connection connection) {
        this.connection = connection;
    }

    /** Whether it is new. */
    boolean insert(InboxEvent.Kind kind, String subject, Instant at, String data) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, kind.word());
            statement.setString(2, subject);
            statement.setLong(3, at.toEpochMilli());
            statement.setString(4, data);
            return statement.executeUpdate() == 1;
        }
    }

    List<InboxEvent> after(long position, InboxEvent.@Nullable Kind kind, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(AFTER)) {
            statement.setLong(1, position);
            statement.setString(2, kind == null ? null : kind.word());
            statement.setString(3, kind == null ? null : kind.word());
            statement.setInt(4, limit);
            List<InboxEvent> events = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    events.add(new InboxEvent(
                            result.getLong(1),
                            InboxEvent.Kind.parse(result.getString(2)),
                            result.getString(3),
                            Instant.ofEpochMilli(result.getLong(4)),
                            result.getString(5)));
                }
            }
            return events;
        }
    }

    long cursor(String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CURSOR)) {
            statement.setString(1, name);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? result.getLong(1) : 0;
            }
        }
    }

    void move(String name, long position) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(MOVE)) {
            statement.setString(1, name);
            statement.setLong(2, position);
            int unused = statement.executeUpdate();
        }
    }

    int forget(Instant before, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FORGET)) {
            statement.setLong(1, before.toEpochMilli());
            statement.setInt(2, limit);
            return statement.executeUpdate();
        }
    }

    /** Unless there was an event already. */
    void beginAfter(long position) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(BEGIN_AFTER)) {
            statement.setLong(1, position);
            int unused = statement.executeUpdate();
        }
    }

    long last() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LAST);
                ResultSet result = statement.executeQuery()) {
            return result.next() ? result.getLong(1) : 0;
        }
    }
}
