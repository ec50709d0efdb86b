package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * An open transaction. Code that receives it writes through it; only the code that opened it ends it. Single-threaded.
 *
 * <p>Parameters are bound by their Java type; arrays ({@code long[]}, {@code String[]}, {@code UUID[]}, {@code byte[][]} and
 * the like) become Postgres arrays, so that one statement over {@code unnest(…)} carries a whole batch.
 */
public final class Tx {

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    private record Deferred(
            String sql, RowReader<?> reader, @Nullable Object[] parameters) {}

    private final Connection connection;
    private final Statements statements;
    private final PGConnection postgres;
    private final boolean mayDefer;
    private final Opening opening;
    private String unsent;
    private boolean batched;
    private Duration silence;
    private boolean shared;
    private boolean repeated;
    private @Nullable Deferred deferred;

    private Tx(Connection connection, Statements statements, boolean mayDefer, Opening opening) throws SQLException {
        this.connection = connection;
        this.statements = statements;
        this.postgres = connection.unwrap(PGConnection.class);
        this.mayDefer = mayDefer;
        this.opening = opening;
        this.unsent = opening.sql();
        this.silence = opening.silence();
    }

    /** The transaction that is open on {@code connection}; the caller began it and ends it. */
    static Tx joined(Connection connection, Statements statements) throws SQLException {
        return new Tx(connection, statements, false, Opening.NONE);
    }

    /** A transaction that {@link #commit()} ends. */
    static Tx begun(Connection connection, Statements statements, Opening opening) throws SQLException {
        return new Tx(connection, statements, true, opening);
    }

    /** From now on no user code runs in this transaction: the limits of our own statements apply. */
    public void withoutUsers() {
        unsent = opening.ownLimits();
        silence = opening.ownSilence();
    }

    /** From now on this is the transaction of a batch. */
    void batch() {
        batched = true;
    }

    /** Whether other callers queue for its thread: nothing slow may run on it. */
    public boolean othersQueue() {
        return batched;
    }

    /** From now on unrelated callers may share it. */
    void share() {
        shared = true;
    }

    /**
     * Whether a statement may wait for a row that another transaction has locked. In a shared transaction it must not: the
     * holder of that lock may itself be waiting for another member of this transaction.
     */
    public boolean mayWait() {
        return !shared;
    }

    /** From now on any item may have been applied before. */
    void repeat() {
        repeated = true;
    }

    /** Whether the items may have been applied before, by a transaction whose outcome is unknown. */
    public boolean isRepeat() {
        return repeated;
    }

    /** The JDBC connection, for SQL that these methods do not cover. The holder must not end the transaction. */
    public Connection connection() throws SQLException {
        runDeferred();
        if (!unsent.isEmpty()) {
            query("", row -> true);
        }
        return connection;
    }

    /** Runs a statement and returns the number of rows it wrote. */
    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        runDeferred();
        try (PreparedStatement statement = prepare(sql, parameters)) {
            int written = 0;
            for (boolean rows = execute(statement); hasResult(statement, rows); rows = statement.getMoreResults()) {
                written = rows ? 0 : statement.getUpdateCount();
            }
            return written;
        }
    }

    @SuppressWarnings("try") // closing it is all that the watch is for
    private boolean execute(PreparedStatement statement) throws SQLException {
        try (Watchdog.Watch watch = Watchdog.over(connection, silence)) {
            return statement.execute();
        }
    }

    private static boolean hasResult(PreparedStatement statement, boolean rows) throws SQLException {
        return rows || statement.getUpdateCount() != -1;
    }

    /**
     * Runs a statement together with the next one; if none follows, together with COMMIT. This saves a round trip.
     *
     * @param reader receives its rows after it has run; with COMMIT, once they are durable
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
            query(statements.withCommit(last.sql()), last.reader(), last.parameters());
        }
    }

    private void runDeferred() throws SQLException {
        if (deferred != null) {
            Deferred due = deferred;
            deferred = null;
            query(due.sql(), due.reader(), due.parameters());
        }
    }

    /** Runs a statement, or several with {@code ;} between them, and reads the rows of the last one that returns any. */
    public <T extends @Nullable Object> List<T> query(String sql, RowReader<T> reader, @Nullable Object... parameters)
            throws SQLException {
        runDeferred();
        try (PreparedStatement statement = prepare(sql, parameters)) {
            // executeQuery() refuses a statement that follows another one or is followed by COMMIT.
            ResultSet last = null;
            for (boolean rows = execute(statement);
                    hasResult(statement, rows);
                    rows = statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)) {
                last = rows ? statement.getResultSet() : last;
            }
            List<T> read = new ArrayList<>();
            while (last != null && last.next()) {
                read.add(reader.read(last));
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

    /** A statement for the schema of this database. */
    String text(String sql) {
        return statements.text(sql);
    }

    /** Runs one or more statements without parameters. */
    void script(String sql) throws SQLException {
        try (Statement statement = connection().createStatement()) {
            statement.execute(statements.text(sql));
        }
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        String first = unsent;
        unsent = "";
        String text = statements.text(sql);
        PreparedStatement statement = connection.prepareStatement(first.isEmpty() ? text : first + text);
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
