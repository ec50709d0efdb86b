package dev.tallystick.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** The two ways to part with a connection: return it to its pool, or break it. */
final class Connections {

    private Connections() {}

    /** The outcome is already decided; failing to return the connection does not change it. */
    static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            discard(connection);
        }
    }

    /** Never reuse a connection in an unknown state; a pool drops an aborted one. */
    static void discard(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // It is already gone.
        }
    }
}
