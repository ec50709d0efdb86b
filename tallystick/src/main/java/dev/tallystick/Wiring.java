package dev.tallystick;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Opened;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Registrations;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.keys.KeyLedger;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SharedClock;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;

/** Assembles the library: database, keys, engine, scheduler. */
final class Wiring {

    private Wiring() {}

    static Tallystick build(Builder builder) {
        Opened opened = new Opened();
        Database database = builder.openDatabase(opened);
        SecureRandom random = new SecureRandom();
        Clock clock = Clock.systemUTC();
        Ids ids = new Ids(clock, random);
        KeyRetention retention = KeyRetention.from(builder.environment());
        KeyLedger keys = builder.openKeys(database, retention, ids, opened);
        Engine engine = opened.add(new Engine(
                database,
                new AcceptKeys(retention),
                builder.codec(),
                ids,
                clock,
                random,
                builder.settings(),
                CrashPoints.NONE));
        Builder.Membership membership = builder.membership();
        Exchange exchange = membership == null
                ? null
                : opened.add(new Exchange(
                        database,
                        engine,
                        membership.identity(),
                        membership.transport(),
                        membership.settings(),
                        CrashPoints.NONE));
        Scheduler scheduler =
                opened.add(new Scheduler(database, engine, builder.settings().poll(), CrashPoints.NONE));
        InstantSource shared = () -> database.transact("read the clock", SharedClock.DATABASE::now);
        return new Tallystick(
                engine,
                scheduler,
                exchange,
                new Registrations(database),
                keys,
                shared,
                builder.codec(),
                builder.scope(),
                opened);
    }
}
