package dev.tallystick.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** One connection a caller, with transactions that the caller ends. */
final class Connections implements AutoCloseable {

    private final List<Connection> open = new ArrayList<>();

    Connections(DataSource database, int number) throws SQLException {
        for (int i = 0; i < number; i++) {
            Connection connection = database.getConnection();
            connection.setAutoCommit(false);
            open.add(connection);
        }
    }

    Connection of(int caller) {
        return open.get(caller);
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : open) {
            connection.close();
        }
    }
}
