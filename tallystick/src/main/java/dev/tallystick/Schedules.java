package dev.tallystick;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.engine.schedule.ScheduleView;
import dev.tallystick.engine.schedule.Scheduler;
import dev.tallystick.workflow.Accepted;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Manages the schedules of one mesh. Thread-safe. */
public final class Schedules {

    private final Scheduler scheduler;
    private final String mesh;
    private final BiFunction<String, Accepted, JobHandle<?>> handles;

    Schedules(Scheduler scheduler, String mesh, BiFunction<String, Accepted, JobHandle<?>> handles) {
        this.scheduler = scheduler;
        this.mesh = mesh;
        this.handles = handles;
    }

    /** All schedules, by name. */
    public List<ScheduleView> list() {
        return scheduler.list(mesh);
    }

    public Optional<ScheduleView> find(String name) {
        return scheduler.find(mesh, name);
    }

    /** Stops firing until it is resumed. Returns whether there is such a schedule. */
    public boolean pause(String name) {
        return scheduler.pause(mesh, name).isPresent();
    }

    /** Fires again, starting with the next moment. Returns whether there is such a schedule. */
    public boolean resume(String name) {
        return scheduler.resume(mesh, name).isPresent();
    }

    /** Jobs that it has started keep running. Returns whether there was such a schedule. */
    public boolean delete(String name) {
        return scheduler.delete(mesh, name);
    }

    /**
     * Starts a job now, even while the schedule is paused.
     *
     * @param key distinguishes this request from others; a repeat reuses it
     * @throws IllegalArgumentException if there is no such schedule
     */
    @SuppressWarnings("unchecked") // the caller vouches for the workflow's return type, as with submit
    public <O extends @Nullable Object> JobHandle<O> trigger(String name, String key) {
        ScheduleView schedule = find(name).orElseThrow(() -> unknown(name));
        Accepted accepted =
                scheduler.trigger(mesh, name, new IdempotencyKey(key)).orElseThrow(() -> unknown(name));
        return (JobHandle<O>) handles.apply(schedule.workflow(), accepted);
    }

    private static IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException("there is no schedule '" + name + "'");
    }
}
