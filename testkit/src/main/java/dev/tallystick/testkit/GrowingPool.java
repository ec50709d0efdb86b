package dev.tallystick.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;

/**
 * A pool that opens connections as needed.
 *
 * <p>About once in a thousand times on a busy machine, a HikariCP pool without idle connections forgets to open one for a
 * caller that asks while another connection is returned. If the open connections are never returned, that caller waits in
 * vain; asking again works.
 */
final class GrowingPool extends HikariDataSource {

    private static final int QUESTIONS = 30;
    private static final int PATIENCE_MILLIS = 1_000;

    GrowingPool(DataSource source, int largest) {
        super(config(source, largest));
    }

    private static HikariConfig config(DataSource source, int largest) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(largest);
        config.setConnectionTimeout(PATIENCE_MILLIS);
        config.setInitializationFailTimeout(-1);
        return config;
    }

    @Override
    public Connection getConnection() throws SQLException {
        for (int question = 1; ; question++) {
            try {
                return super.getConnection();
            } catch (SQLTransientConnectionException e) {
                if (question == QUESTIONS) {
                    throw e;
                }
            }
        }
    }
}
