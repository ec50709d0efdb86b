package dev.tallystick.server;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Opened;
import dev.tallystick.sql.Database;
import java.security.SecureRandom;

/** The database of a server, without the server: the Postgres in its directory, or another one. */
public final class OfflineDatabase implements AutoCloseable {

    private final Opened opened = new Opened();
    private final Database database;

    private OfflineDatabase(ServerSettings settings) {
        boolean complete = false;
        try {
            DataDirectory.open(settings.data());
            this.database = Database.on(DatabaseSource.open(settings, opened), new SecureRandom(), CrashPoints.NONE)
                    .in(settings.schema());
            complete = true;
        } finally {
            if (!complete) {
                opened.close();
            }
        }
    }

    public static OfflineDatabase open(ServerSettings settings) {
        return new OfflineDatabase(settings);
    }

    public Database database() {
        return database;
    }

    @Override
    public void close() {
        opened.close();
    }
}
