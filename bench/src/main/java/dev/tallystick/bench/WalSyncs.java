package dev.tallystick.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * How often Postgres has forced its log to disk. A backend reports its share when it ends at the latest, so read this before a
 * round opens its connections and after it has closed them.
 */
final class WalSyncs {

    // Since version 18 the log's own input and output is counted with everybody else's.
    private static final String SINCE_18 = "select coalesce(sum(fsyncs), 0) from pg_stat_io where object = 'wal'";
    private static final String BEFORE_18 = "select wal_sync from pg_stat_wal";

    static long count(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            boolean since18 = connection.getMetaData().getDatabaseMajorVersion() >= 18;
            try (ResultSet row = statement.executeQuery(since18 ? SINCE_18 : BEFORE_18)) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private WalSyncs() {}
}
