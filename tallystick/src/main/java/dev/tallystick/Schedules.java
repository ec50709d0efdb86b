package dev.tallystick;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.engine.Accepted;
import dev.tallystick.engine.ScheduleView;
import dev.tallystick.engine.Scheduler;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The schedules of one mesh, for those who look after them. Thread-safe. */
public final class Schedules {

    private final Scheduler scheduler;
    private final String mesh;
    private final BiFunction<String, Accepted, JobHandle<?>> handles;

    Schedules(Scheduler scheduler, String mesh, BiFunction<String, Accepted, JobHandle<?>> handles) {
        this.scheduler = scheduler;
        this.mesh = mesh;
        this.handles = handles;
    }

    /** All of them, by name. */
    public List<ScheduleView> list() {
        return scheduler.list(mesh);
    }

    public Optional<ScheduleView> find(String name) {
        return scheduler.find(mesh, name);
    }

    /** It does not fire until it is resumed. Returns whether there is such a schedule. */
    public boolean pause(String name) {
        return scheduler.pause(mesh, name).isPresent();
    }

    /** It fires again, from the next moment on. Returns whether there is such a schedule. */
    public boolean resume(String name) {
        return scheduler.resume(mesh, name).isPresent();
    }

    /** Jobs that it has started go on. Returns whether there was such a schedule. */
    public boolean delete(String name) {
        return scheduler.delete(mesh, name);
    }

    /**
     * Starts a job now, also while the schedule is paused.
     *
     * @param key tells this from other requests, and a repeat from the first
     * @throws IllegalArgumentException if there is no such schedule
     */
    @SuppressWarnings("unchecked") // the caller vouches for what the workflow returns, as with submit
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
