package dev.tallystick.sql;

import dev.tallystick.core.CrashPoints;
import java.time.Duration;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/** Databases with limits other than those of production. */
final class TestDatabases {

    /** Gives up on a server that is silent for half a second. */
    static Database impatient(DataSource source) {
        return Database.on(
                source,
                RandomGenerator.getDefault(),
                CrashPoints.NONE,
                new SessionLimits(Duration.ofMillis(250), Duration.ofSeconds(5)));
    }

    private TestDatabases() {}
}
