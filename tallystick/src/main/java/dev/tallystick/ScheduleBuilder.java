package dev.tallystick;

import dev.tallystick.core.Priority;
import dev.tallystick.engine.schedule.Cron;
import dev.tallystick.engine.schedule.Schedule;
import java.time.ZoneId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Defines when a workflow runs, and with what input. {@link #save} stores the schedule in the database; every process may do so
 * each time it starts. For one thread.
 */
public final class ScheduleBuilder {

    /** Creates the schedule from this builder's values. */
    interface Maker {
        Schedule make(Cron cron, ZoneId zone, @Nullable Object input, Priority priority);
    }

    private final Maker maker;
    private final Consumer<Schedule> keeper;
    private @Nullable Cron cron;
    private @Nullable ZoneId zone;
    private @Nullable Object input;
    private Priority priority = Priority.DEFAULT;

    ScheduleBuilder(Maker maker, Consumer<Schedule> keeper) {
        this.maker = maker;
        this.keeper = keeper;
    }

    /**
     * Minute, hour, day of month, month and day of week, in the local time of a zone. A local time that the zone skips is
     * served at the next one that exists; a local time that occurs twice is served once.
     */
    public ScheduleBuilder cron(String expression, ZoneId where) {
        cron = Cron.parse(expression);
        zone = where;
        return this;
    }

    /** The input of each of its jobs; null by default. */
    public ScheduleBuilder input(@Nullable Object value) {
        input = value;
        return this;
    }

    public ScheduleBuilder priority(Priority other) {
        priority = other;
        return this;
    }

    /**
     * Saves the schedule, replacing one of the same name. If a schedule with the same timing exists, it keeps its next moment,
     * even if that passed while no process was running. A paused schedule stays paused.
     */
    public void save() {
        if (cron == null || zone == null) {
            throw new IllegalStateException("say when: cron(…)");
        }
        keeper.accept(maker.make(cron, zone, input, priority));
    }
}
