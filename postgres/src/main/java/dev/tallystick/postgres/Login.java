package dev.tallystick.postgres;

import com.zaxxer.hikari.HikariConfig;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/**
 * Logs in to the server. The server must prove that it knows our password, just as we prove it to the server: if a foreign
 * process listens on the port, we neither trust it nor send it anything secret.
 */
record Login(int port, Password password) {

    static final String HOST = "127.0.0.1";
    static final String USER = "tally";
    static final String DATABASE = "postgres";

    /** Otherwise the driver would send the password in clear text to any server that asks for it. */
    private static final String MUTUAL = "scram-sha-256";

    /** By name: an application may force a driver that is too old to know this setting and ignores it. */
    private static final String REQUIRE_AUTH = "requireAuth";

    static {
        if (PGProperty.forName(REQUIRE_AUTH) == null) {
            LoggerFactory.getLogger(Login.class)
                    .warn("this driver cannot verify the identity of the embedded Postgres:"
                            + " upgrade org.postgresql:postgresql to 42.7.11 or newer");
        }
    }

    String url(String database) {
        return "jdbc:postgresql://%s:%d/%s?%s=%s".formatted(HOST, port, database, REQUIRE_AUTH, MUTUAL);
    }

    PGSimpleDataSource unpooled(String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(database));
        source.setUser(USER);
        source.setPassword(password.value());
        source.setApplicationName("tallystick");
        return source;
    }

    /** Gives up on a server that does not respond. */
    PGSimpleDataSource answeringWithin(Duration limit) throws SQLException {
        int seconds = Math.toIntExact(limit.toSeconds());
        PGSimpleDataSource source = unpooled(DATABASE);
        source.setLoginTimeout(seconds);
        source.setConnectTimeout(seconds);
        source.setSocketTimeout(seconds);
        return source;
    }

    HikariConfig pool(String database, int maxConnections) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(unpooled(database));
        config.setMaximumPoolSize(maxConnections);
        config.setPoolName("tally-" + database);
        return config;
    }
}
