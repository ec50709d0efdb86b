package dev.tallystick.postgres;

import com.zaxxer.hikari.HikariConfig;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/**
 * How we log in. The server has to prove that it knows our password as we have to prove it to the server: should a stranger
 * ever listen on the port, he is neither believed nor told anything.
 */
record Login(int port, Password password) {

    static final String HOST = "127.0.0.1";
    static final String USER = "tally";
    static final String DATABASE = "postgres";

    /** The driver would otherwise hand its password in clear to any server that asks for it so. */
    private static final String MUTUAL = "scram-sha-256";

    /** By name: an application may hold us to a driver that is too old to know it, and which ignores it. */
    private static final String REQUIRE_AUTH = "requireAuth";

    static {
        if (PGProperty.forName(REQUIRE_AUTH) == null) {
            LoggerFactory.getLogger(Login.class)
                    .warn("this driver cannot insist that the embedded Postgres proves who it is:"
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

    /** Gives up on a server that does not answer. */
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
