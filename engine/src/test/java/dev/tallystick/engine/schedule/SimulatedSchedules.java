package dev.tallystick.engine.schedule;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.Engine;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SharedClock;
import dev.tallystick.sql.Tx;
import dev.tallystick.testkit.Randomness;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** A schedule that all processes of a simulation fire, by a database whose minutes are short, on hosts whose clocks are wrong. */
public final class SimulatedSchedules {

    /** So much faster than it does runs the clock of the database. */
    private static final int HASTE = 120;

    private static final String NAME = "minutely";
    private static final int FARTHEST_DAYS = 400;

    private final Database database;
    private final Instant begun;
    private boolean saved;

    public SimulatedSchedules(Database database) {
        this.database = database;
        this.begun = database.transact("begin", SharedClock.DATABASE::now);
    }

    public static InstantSource wrongClock(Randomness random) {
        return InstantSource.offset(Clock.systemUTC(), Duration.ofDays(random.between(-FARTHEST_DAYS, FARTHEST_DAYS)));
    }

    private Instant now(Tx tx) throws SQLException {
        return begun.plus(Duration.between(begun, SharedClock.DATABASE.now(tx)).multipliedBy(HASTE));
    }

    /** A process that fires; its database is as the process sees it. */
    public Scheduler join(Database seen, Engine engine) {
        if (!saved) {
            // Only once: a frozen process may hold the row of the schedule later.
            save(engine);
            saved = true;
        }
        Scheduler scheduler =
                new Scheduler(seen, engine, Submitters.ALL, this::now, Duration.ofMillis(50), CrashPoints.NONE);
        scheduler.start();
        return scheduler;
    }

    private void save(Engine engine) {
        byte[] input = "\"input\"".getBytes(StandardCharsets.UTF_8);
        new Scheduler(database, engine, Submitters.ALL, this::now, Duration.ofSeconds(1), CrashPoints.NONE)
                .save(new Schedule(
                        Scope.DEFAULT,
                        NAME,
                        "steps",
                        Cron.parse("* * * * *"),
                        ZoneOffset.UTC,
                        input,
                        Fingerprint.of(Envelope.ofJob("steps", new Json.StringValue("input"))),
                        Priority.DEFAULT));
    }

    /** Whether it fired for moments that have not come, or was silenced. */
    public List<String> wrong() {
        return database.transact("look at the schedule", tx -> {
            List<String> wrong = new ArrayList<>();
            ScheduleView view = new ScheduleStore()
                    .read(tx, Scope.DEFAULT.mesh(), NAME)
                    .orElseThrow()
                    .view();
            Instant now = now(tx);
            if (view.nextAt().isAfter(now.plus(Duration.ofMinutes(1)))) {
                wrong.add("the schedule is silent until " + view.nextAt() + ", and it is " + now);
            }
            view.firedFor()
                    .filter(moment -> moment.isAfter(now))
                    .ifPresent(moment -> wrong.add("the schedule fired for " + moment + ", and it is " + now));
            if (view.firedFor().isEmpty() && now.isAfter(begun.plus(Duration.ofMinutes(10)))) {
                wrong.add("the schedule has never fired since " + begun + ", and it is " + now);
            }
            return wrong;
        });
    }
}
