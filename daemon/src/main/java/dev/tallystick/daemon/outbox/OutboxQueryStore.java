package dev.tallystick.daemon.outbox;

import dev.tallystick.core.IdempotencyKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The queries of the outbox that change nothing. One method is one statement. For one thread. */
final class OutboxQueryStore implements AutoCloseable {

    private static final String BY_ID = "select * from outbox where id = ?";
    private static final String BY_KEY = "select * from outbox where client_message_id = ?";
    private static final String AT = "select * from outbox where position = ?";
    private static final String REPLACED_BY = "select * from outbox where superseded_by = ?";

    // From one destination to the next, however many rows each has.
    private static final String DESTINATIONS = """
            with recursive each(destination) as (
                select min(destination)
                from outbox indexed by outbox_pending
                where status = 'pending' and destination > ?
                union all
                select (select min(destination)
                        from outbox indexed by outbox_pending
                        where status = 'pending' and destination > each.destination)
                from each
                where each.destination is not null
            )
            select destination from each where destination is not null limit ?
            """;

    private static final String COUNTS = """
            select 'pending', count(*)
            from outbox indexed by outbox_pending
            where status = 'pending'
            union all
            select status, count(*)
            from outbox indexed by outbox_attended
            where status in ('inflight', 'dead')
            group by status
            """;

    private static final String OLDEST = """
            select min(enqueued_at)
            from outbox
            where position in (select min(position)
                               from outbox indexed by outbox_pending
                               where status = 'pending'
                               union all
                               select min(position)
                               from outbox indexed by outbox_attended
                               where status = 'inflight' and status in ('inflight', 'dead'))
            """;

    private static final String LIST = """
            select *
            from outbox
            where position > ? and (? is null or status = ?)
            order by position
            limit ?
            """;

    private static final String LIST_PENDING = """
            select *
            from outbox indexed by outbox_pending
            where status = 'pending' and position > ?
            order by position
            limit ?
            """;

    private static final String LIST_ATTENDED = """
            select *
            from outbox indexed by outbox_attended
            where status = ? and status in ('inflight', 'dead') and position > ?
            order by position
            limit ?
            """;

    private static final String DROPPABLE = """
            select position
            from outbox
            where position > ?
              and position <= ?
              and status in ('done', 'aborted')
              and payload_dropped_at is null
              and coalesce(delivered_at, aborted_at) <= ?
            """;
    private static final String LAST_POSITION = "select coalesce(max(position), 0) from outbox";
    private static final String SETTING = "select value from setting where name = ?";

    private final Statements statements;

    /** @param connection closed by its owner */
    OutboxQueryStore(Connection connection) {
        this.statements = new Statements(connection);
    }

    Optional<OutboxRow> byId(String id) throws SQLException {
        return statements.one(BY_ID, id);
    }

    Optional<OutboxRow> byKey(IdempotencyKey key) throws SQLException {
        return statements.one(BY_KEY, key.value());
    }

    /** The row that this one replaces. */
    Optional<OutboxRow> replacedBy(String id) throws SQLException {
        return statements.one(REPLACED_BY, id);
    }

    Optional<OutboxRow> at(long position) throws SQLException {
        PreparedStatement statement = statements.prepare(AT);
        statement.setLong(1, position);
        return Statements.first(Statements.rows(statement, Integer.MAX_VALUE));
    }

    /** As stored: a damaged one is no {@link Destination}. */
    List<String> destinations(String after, int limit) throws SQLException {
        PreparedStatement statement = statements.prepare(DESTINATIONS);
        statement.setString(1, after);
        statement.setInt(2, limit);
        List<String> found = new ArrayList<>();
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                found.add(result.getString(1));
            }
        }
        return found;
    }

    Map<OutboxState, Long> counts() throws SQLException {
        Map<OutboxState, Long> counts = new HashMap<>();
        try (ResultSet result = statements.prepare(COUNTS).executeQuery()) {
            while (result.next()) {
                counts.put(OutboxState.parse(result.getString(1)), result.getLong(2));
            }
        }
        return counts;
    }

    /** When the oldest row that is not settled was accepted. */
    Optional<Instant> oldest() throws SQLException {
        try (ResultSet result = statements.prepare(OLDEST).executeQuery()) {
            return result.next() ? Optional.ofNullable(instant(result, 1)) : Optional.empty();
        }
    }

    List<OutboxRow> list(@Nullable OutboxState state, long after, int limit) throws SQLException {
        PreparedStatement statement;
        switch (state) {
            case PENDING -> {
                statement = statements.prepare(LIST_PENDING);
                statement.setLong(1, after);
                statement.setInt(2, limit);
            }
            case INFLIGHT, DEAD -> {
                statement = statements.prepare(LIST_ATTENDED);
                statement.setString(1, state.word());
                statement.setLong(2, after);
                statement.setInt(3, limit);
            }
            case null, default -> {
                String word = state == null ? null : state.word();
                statement = statements.prepare(LIST);
                statement.setLong(1, after);
                statement.setString(2, word);
                statement.setString(3, word);
                statement.setInt(4, limit);
            }
        }
        return Statements.rows(statement, Integer.MAX_VALUE);
    }

    long lastPosition() throws SQLException {
        try (ResultSet result = statements.prepare(LAST_POSITION).executeQuery()) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    /** Rows of this stretch whose payload nothing needs any more. */
    List<Long> droppable(long after, long upTo, Instant settledBy) throws SQLException {
        PreparedStatement statement = statements.prepare(DROPPABLE);
        statement.setLong(1, after);
        statement.setLong(2, upTo);
        statement.setLong(3, settledBy.toEpochMilli());
        List<Long> positions = new ArrayList<>();
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                positions.add(result.getLong(1));
            }
        }
        return positions;
    }

    Optional<String> setting(String name) throws SQLException {
        PreparedStatement statement = statements.prepare(SETTING);
        statement.setString(1, name);
        try (ResultSet result = statement.executeQuery()) {
            return result.next() ? Optional.of(result.getString(1)) : Optional.empty();
        }
    }

    private static @Nullable Instant instant(ResultSet result, int column) throws SQLException {
        long millis = result.getLong(column);
        return result.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    @Override
    public void close() throws SQLException {
        statements.close();
    }
}
