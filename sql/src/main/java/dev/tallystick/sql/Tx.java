package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * An open transaction. Whoever was handed it writes through it; whoever opened it ends it. For one thread.
 *
 * <p>Parameters are bound by their Java type; arrays ({@code long[]}, {@code String[]}, {@code UUID[]}, {@code byte[][]} and the
 * like) become Postgres arrays, so that one statement over {@code unnest(…)} carries a whole batch.
 */
public final class Tx {

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    /** Statements by what they are without their COMMIT. */
    private static final Map<String, String> WITH_COMMIT = new ConcurrentHashMap<>();

    private record Deferred(
            String sql, RowReader<?> reader, @Nullable Object[] parameters) {}

    private final Connection connection;
    private final PGConnection postgres;
    private final boolean mayDefer;
    private boolean shared;
    private boolean repeated;
    private @Nullable Deferred deferred;

    private Tx(Connection connection, boolean mayDefer) throws SQLException {
        this.connection = connection;
        this.postgres = connection.unwrap(PGConnection.class);
        this.mayDefer = mayDefer;
    }

    /** The transaction that is open on {@code connection}, which the caller has begun and will end. */
    public static Tx on(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalArgumentException(
                    "the connection has auto-commit on, so each statement would commit by itself:"
                            + " call setAutoCommit(false) before, and commit() when all is done");
        }
        return new Tx(connection, false);
    }

    /** A transaction that is ended by {@link #commit()}. */
    static Tx begun(Connection connection) throws SQLException {
        return new Tx(connection, true);
    }

    /** From now on it may be for several who know nothing of each other. */
    void share() {
        shared = true;
    }

    /**
     * Whether a statement may wait for a row that a stranger has locked. Where several may share a transaction, what one of them
     * waits for may be in the hands of somebody who waits for another one of them.
     */
    public boolean mayWait() {
        return !shared;
    }

    /** From now on any item may be one that was applied before. */
    void repeat() {
        repeated = true;
    }

    /** Whether the items may have been applied before, by a transaction whose outcome nobody knows. */
    public boolean isRepeat() {
        return repeated;
    }

    /** The JDBC connection, for SQL that these methods do not cover. Ending its transaction is not the holder's business. */
    public Connection connection() throws SQLException {
        runDeferred();
        return connection;
    }

    /** Runs a statement and returns the number of rows that it wrote. */
    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        runDeferred();
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /**
     * Runs a statement before the next one; if none follows, together with COMMIT, which spares a round trip.
     *
     * @param reader gets the rows that it returns when it has run; if that is with COMMIT, once they are durable
     */
    public void queryLater(String sql, RowReader<?> reader, @Nullable Object... parameters) throws SQLException {
        runDeferred();
        if (mayDefer) {
            deferred = new Deferred(sql, reader, parameters);
        } else {
            query(sql, reader, parameters);
        }
    }

    void commit() throws SQLException {
        if (deferred == null) {
            connection.commit();
        } else {
            Deferred last = deferred;
            deferred = null;
            query(WITH_COMMIT.computeIfAbsent(last.sql(), sql -> sql + ";\ncommit"), last.reader(), last.parameters());
        }
    }

    private void runDeferred() throws SQLException {
        if (deferred != null) {
            Deferred due = deferred;
            deferred = null;
            query(due.sql(), due.reader(), due.parameters());
        }
    }

    public <T extends @Nullable Object> List<T> query(String sql, RowReader<T> reader, @Nullable Object... parameters)
            throws SQLException {
        runDeferred();
        try (PreparedStatement statement = prepare(sql, parameters)) {
            // executeQuery() refuses what has a COMMIT behind it.
            statement.execute();
            List<T> read = new ArrayList<>();
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    read.add(reader.read(rows));
                }
            }
            return read;
        }
    }

    /** The first row, if there is one. */
    public <T> Optional<T> first(String sql, RowReader<T> reader, @Nullable Object... parameters) throws SQLException {
        List<T> rows = query(sql, reader, parameters);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.getFirst());
    }

    /** A timestamp column as an instant; null stays null. */
    public static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp read = row.getTimestamp(column);
        return read == null ? null : read.toInstant();
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < parameters.length; i++) {
                bind(statement, i + 1, parameters[i]);
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    private void bind(PreparedStatement statement, int position, @Nullable Object value) throws SQLException {
        switch (value) {
            case null -> statement.setObject(position, null);
            case Instant instant -> statement.setObject(position, OffsetDateTime.ofInstant(instant, ZoneOffset.UTC));
            case byte[] bytes -> statement.setBytes(position, bytes);
            case long[] array -> bindArray(statement, position, "int8", array);
            case int[] array -> bindArray(statement, position, "int4", array);
            case boolean[] array -> bindArray(statement, position, "bool", array);
            case Long[] array -> bindArray(statement, position, "int8", array);
            case Integer[] array -> bindArray(statement, position, "int4", array);
            case String[] array -> bindArray(statement, position, "text", array);
            case UUID[] array -> statement.setArray(position, UuidArray.of(array, connection));
            case byte[][] array -> bindArray(statement, position, "bytea", array);
            default -> statement.setObject(position, value);
        }
    }

    private void bindArray(PreparedStatement statement, int position, String type, Object array) throws SQLException {
        statement.setArray(position, postgres.createArrayOf(type, array));
    }
}
