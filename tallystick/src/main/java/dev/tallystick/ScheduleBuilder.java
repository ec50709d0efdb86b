package dev.tallystick;

import dev.tallystick.core.Priority;
import dev.tallystick.engine.Cron;
import dev.tallystick.engine.Schedule;
import java.time.ZoneId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says when a workflow is to run, and with what. {@link #save} keeps it in the database; every process may do so each time it
 * starts. For one thread.
 */
public final class ScheduleBuilder {

    /** Makes the schedule of what was said. */
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
     * When: minute, hour, day of month, month, day of week, in the local time of a zone. A local time that the zone skips is
     * served at the next that there is, one that it has twice is served once.
     */
    public ScheduleBuilder cron(String expression, ZoneId where) {
        cron = Cron.parse(expression);
        zone = where;
        return this;
    }

    /** What each of its jobs gets; null unless said otherwise. */
    public ScheduleBuilder input(@Nullable Object value) {
        input = value;
        return this;
    }

    public ScheduleBuilder priority(Priority other) {
        priority = other;
        return this;
    }

    /**
     * Keeps the schedule, in place of one of the same name. One that is there already and says the same when keeps its next
     * moment, also if that has passed while nobody looked; one that is paused stays so.
     */
    public void save() {
        if (cron == null || zone == null) {
            throw new IllegalStateException("say when: cron(…)");
        }
        keeper.accept(maker.make(cron, zone, input, priority));
    }
}
