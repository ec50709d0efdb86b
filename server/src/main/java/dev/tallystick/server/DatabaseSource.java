package dev.tallystick.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import dev.tallystick.core.Opened;
import dev.tallystick.postgres.EmbeddedPostgres;
import java.time.Duration;
import javax.sql.DataSource;

/** The connections of a server, to its embedded Postgres or to a configured one. */
final class DatabaseSource {

    private static final String DIRECTORY = "postgres";

    /** No answer takes this long, not even creating an index in a migration. Accepting and committing use shorter limits. */
    private static final Duration SILENCE = Duration.ofHours(1);

    /** Short enough that callers learn that nothing was done while they still wait for the answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private static final String SCHEME = "jdbc:postgresql:";

    static DataSource open(ServerSettings settings, Opened opened) {
        String url = settings.postgres();
        HikariDataSource pool;
        if (url == null) {
            // The server itself stops it, after everything that uses it.
            EmbeddedPostgres postgres = EmbeddedPostgres.at(settings.data().resolve(DIRECTORY))
                    .withoutShutdownHook()
                    .start();
            opened.add(postgres);
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
            // A machine that loses power does not close its connections. The URL may override these.
            config.addDataSourceProperty("tcpKeepAlive", "true");
            config.addDataSourceProperty("socketTimeout", Long.toString(SILENCE.toSeconds()));
            try {
                pool = new HikariDataSource(config);
            } catch (HikariPool.PoolInitializationException e) {
                throw new NoDatabaseException(e);
            }
        }
        pool.setConnectionTimeout(PATIENCE.toMillis());
        opened.add(pool);
        return pool;
    }

    private DatabaseSource() {}
}
