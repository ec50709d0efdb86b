package dev.tallystick.postgres;

import com.zaxxer.hikari.HikariConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/**
 * How we log in. The server has to prove that it knows our password as we have to prove it to the server: should a stranger
 * ever listen on the port, he is neither believed nor told anything.
 */
record Login(int port, Password password) {

    static final String HOST = "127.0.0.1";
    static final String USER = "tally";
    static final String DATABASE = "postgres";

    /** The driver would otherwise hand its password in clear to any server that asks for it so. */
    private static final String MUTUAL = "requireAuth=scram-sha-256";

    String url(String database) {
        return "jdbc:postgresql://%s:%d/%s?%s".formatted(HOST, port, database, MUTUAL);
    }

    HikariConfig pool(String database, int maxConnections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url(database));
        config.setUsername(USER);
        config.setPassword(password.value());
        config.setMaximumPoolSize(maxConnections);
        config.setPoolName("tally-" + database);
        config.addDataSourceProperty("ApplicationName", "tallystick");
        return config;
    }

    /** A connection outside of any pool, which gives up on a server that does not answer. */
    Connection open(Duration limit) throws SQLException {
        String seconds = Long.toString(limit.toSeconds());
        Properties properties = new Properties();
        properties.setProperty("user", USER);
        properties.setProperty("password", password.value());
        properties.setProperty("loginTimeout", seconds);
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("socketTimeout", seconds);
        return DriverManager.getConnection(url(DATABASE), properties);
    }
}
