package dev.tallystick;

import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.core.Opened;
import dev.tallystick.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import javax.sql.DataSource;

/** Kept apart because applications with their own database may not have these classes. */
final class EmbeddedDatabase {

    private static final int CONNECTIONS = 20;

    static DataSource open(Path directory, Opened owned) {
        EmbeddedPostgres postgres = EmbeddedPostgres.at(directory).start();
        owned.add(postgres);
        HikariDataSource pool = postgres.dataSource(CONNECTIONS);
        owned.add(pool);
        return pool;
    }

    private EmbeddedDatabase() {}
}
