package dev.tallystick;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Checks that a pool has enough connections; with too few, an engine would hang for no visible reason. */
final class PoolCheck {

    /** Two that share commits, one that listens, and one for everything else. */
    static final int NEEDED = 4;

    static void demandEnough(DataSource source) {
        List<Connection> open = new ArrayList<>();
        try {
            while (open.size() < NEEDED) {
                open.add(source.getConnection());
            }
        } catch (SQLException e) {
            if (open.isEmpty()) {
                throw new IllegalStateException("the database cannot be reached: " + e.getMessage(), e);
            }
            throw new IllegalStateException(
                    "the DataSource gave " + open.size() + " connections at once and then failed (" + e.getMessage()
                            + "): Tallystick needs at least " + NEEDED
                            + "; raise the size of the pool (HikariCP: maximumPoolSize), 10 or more are better",
                    e);
        } finally {
            open.forEach(PoolCheck::giveBack);
        }
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // The connection was unused, so nothing is lost with it.
        }
    }

    private PoolCheck() {}
}
