package dev.tallystick;

import dev.tallystick.core.Opened;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Registrations;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.engine.schedule.Submitters;
import dev.tallystick.keys.KeyLedger;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.wiring.Foundation;
import java.time.InstantSource;

/** Assembles the library: database, keys, engine, scheduler. */
final class Wiring {

    private Wiring() {}

    static Tallystick build(Builder builder) {
        Opened opened = new Opened();
        Foundation foundation = builder.open(opened);
        Database database = foundation.database();
        KeyRetention retention = KeyRetention.from(builder.environment());
        KeyLedger keys = builder.openKeys(database, retention, foundation.ids(), opened);
        Engine engine = foundation.engine(retention, builder.codec(), builder.settings());
        Builder.Membership membership = builder.membership();
        Exchange exchange = membership == null
                ? null
                : opened.add(new Exchange(
                        database,
                        engine,
                        membership.identity(),
                        membership.transport(),
                        membership.settings(),
                        foundation.crashPoints()));
        Scheduler scheduler =
                foundation.scheduler(engine, Submitters.ALL, builder.settings().poll());
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
