package dev.tallystick.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.postgres.EmbeddedPostgres;
import java.util.Deque;
import javax.sql.DataSource;

/** The connections of a server: to a Postgres of its own, or to the one that it was given. */
final class DatabaseSource {

    private static final int CONNECTIONS = 20;
    private static final String DIRECTORY = "postgres";

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
            pool = postgres.dataSource(CONNECTIONS);
        } else {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setMaximumPoolSize(CONNECTIONS);
            config.setPoolName("tally-server");
            pool = new HikariDataSource(config);
        }
        opened.push(pool);
        return pool;
    }

    private DatabaseSource() {}
}
