package dev.tallystick.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import dev.tallystick.postgres.EmbeddedPostgres;
import java.time.Duration;
import java.util.Deque;
import javax.sql.DataSource;

/** The connections of a server: to a Postgres of its own, or to the one that it was given. */
final class DatabaseSource {

    private static final String DIRECTORY = "postgres";

    /** No answer takes so long, be it the index that a migration makes. What accepts and commits waits for less. */
    private static final Duration SILENCE = Duration.ofHours(1);

    /** So that whoever asks is told in time that nothing was done, while it still waits for its answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private static final String SCHEME = "jdbc:postgresql:";

    /** @param opened what is to be closed again, the last first */
    static DataSource open(ServerSettings settings, Deque<AutoCloseable> opened) {
        String url = settings.postgres();
        HikariDataSource pool;
        if (url == null) {
            // The server stops it itself, after everything that stands on it.
            EmbeddedPostgres postgres = EmbeddedPostgres.at(settings.data().resolve(DIRECTORY))
                    .withoutShutdownHook()
                    .start();
            opened.push(postgres);
            pool = postgres.dataSource(settings.connections());
        } else {
            if (!url.startsWith(SCHEME)) {
                throw new IllegalArgumentException(
                        "a Postgres is named as " + SCHEME + "//HOST/DATABASE?user=NAME&password=SECRET");
            }
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setMaximumPoolSize(settings.connections());
            config.setPoolName("tally-server");
            // A machine without power says no good-bye. What the URL has to say of these goes first.
            config.addDataSourceProperty("tcpKeepAlive", "true");
            config.addDataSourceProperty("socketTimeout", Long.toString(SILENCE.toSeconds()));
            try {
                pool = new HikariDataSource(config);
            } catch (HikariPool.PoolInitializationException e) {
                throw new NoDatabaseException(e);
            }
        }
        pool.setConnectionTimeout(PATIENCE.toMillis());
        opened.push(pool);
        return pool;
    }

    private DatabaseSource() {}
}
