package dev.tallystick.wiring;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Opened;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.EngineSchema;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.engine.schedule.Submitters;
import dev.tallystick.exchange.ExchangeSchema;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.keys.KeySchema;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.Schema;
import dev.tallystick.sql.SchemaName;
import dev.tallystick.workflow.Codec;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/**
 * A database whose tables are up to date, and what everything on it shares.
 *
 * @param opened owns what is opened here
 */
public record Foundation(
        Database database, Clock clock, RandomGenerator random, Ids ids, CrashPoints crashPoints, Opened opened) {

    /** The tables of a process with the library. */
    public static final Schema TABLES =
            Schema.of(KeySchema.migrations(), EngineSchema.MIGRATIONS, ExchangeSchema.migrations());

    /** Brings the tables up to date, which needs a role that may create them unless they are. */
    public static Foundation on(
            DataSource source, SchemaName schema, Schema tables, Clock clock, CrashPoints crashPoints, Opened opened) {
        RandomGenerator random = new SecureRandom();
        Database database = Database.on(source, random, crashPoints).in(schema);
        List<String> unused = tables.migrate(database);
        return new Foundation(database, clock, random, new Ids(clock, random), crashPoints, opened);
    }

    /** An engine that does not run jobs yet. */
    public Engine engine(KeyRetention retention, Codec codec, EngineSettings settings) {
        AcceptKeys keys = new AcceptKeys(retention);
        return opened.add(new Engine(database, keys, codec, ids, clock, random, settings, crashPoints));
    }

    /** A scheduler that does not fire yet. */
    public Scheduler scheduler(Engine engine, Submitters submitters, Duration poll) {
        return opened.add(new Scheduler(database, engine, submitters, poll, crashPoints));
    }
}
