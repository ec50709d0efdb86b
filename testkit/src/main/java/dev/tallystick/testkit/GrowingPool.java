package dev.tallystick.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;

/**
 * A pool that opens connections as they are needed.
 *
 * <p>A HikariCP that keeps no idle connections forgets, once in a thousand times on a busy machine, to open one for somebody who
 * asks while another is given back. If those that are open are never given back, he waits in vain; who asks again is heard.
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
