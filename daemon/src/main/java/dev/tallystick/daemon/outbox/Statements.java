package dev.tallystick.daemon.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The prepared statements of one connection. For one thread. */
final class Statements implements AutoCloseable {

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /** @param connection closed by its owner */
    Statements(Connection connection) {
        this.connection = connection;
    }

    PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    Optional<OutboxRow> one(String sql, String parameter) throws SQLException {
        PreparedStatement statement = prepare(sql);
        statement.setString(1, parameter);
        return first(rows(statement, Integer.MAX_VALUE));
    }

    static Optional<OutboxRow> first(List<OutboxRow> rows) {
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.getFirst());
    }

    /** @param maxBytes of their payloads; a single row may have more */
    static List<OutboxRow> rows(PreparedStatement statement, int maxBytes) throws SQLException {
        List<OutboxRow> rows = new ArrayList<>();
        long bytes = 0;
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                bytes += result.getBytes("payload").length;
                if (bytes > maxBytes && !rows.isEmpty()) {
                    break;
                }
                rows.add(OutboxColumns.row(result));
            }
        }
        return rows;
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        prepared.clear();
    }
}
