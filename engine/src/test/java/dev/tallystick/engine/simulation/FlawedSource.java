package dev.tallystick.engine.simulation;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Opens sessions that can only read, for as long as the test wants it: as a server does that was demoted, or has no room left. */
final class FlawedSource implements DataSource {

    private final DataSource source;
    private volatile boolean readOnly;

    FlawedSource(DataSource source) {
        this.source = source;
    }

    /** Whether sessions that are opened from now on can only read, for ever. */
    void makeReadOnly(boolean wanted) {
        readOnly = wanted;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.getConnection();
        if (readOnly) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("set default_transaction_read_only = on");
            }
        }
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter writer) throws SQLException {
        source.setLogWriter(writer);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        source.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return source.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return source.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return source.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return source.isWrapperFor(type);
    }
}
