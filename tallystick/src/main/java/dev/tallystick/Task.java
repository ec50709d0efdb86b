package dev.tallystick;

import dev.tallystick.engine.Codec;
import dev.tallystick.engine.GenericType;
import dev.tallystick.engine.JobId;
import dev.tallystick.engine.TaskId;
import dev.tallystick.engine.TaskView;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Something that a job asks people, as it stood when it was read. */
public final class Task {

    private final TaskView view;
    private final Codec codec;

    Task(TaskView view, Codec codec) {
        this.view = view;
        this.codec = codec;
    }

    public TaskId id() {
        return view.id();
    }

    /** The job that asks. */
    public JobId job() {
        return view.job();
    }

    /** What the workflow calls it. */
    public String name() {
        return view.name();
    }

    /** Who may claim it; empty if it is for one person. */
    public Optional<String> group() {
        return view.group();
    }

    /** Who has it; empty if nobody has claimed it. */
    public Optional<String> assignee() {
        return view.assignee();
    }

    /** What the workflow asks about. */
    public <T extends @Nullable Object> T details(Class<T> type) {
        return codec.decode(view.details(), type);
    }

    /** As {@link #details(Class)}, for a type with type arguments. */
    public <T extends @Nullable Object> T details(GenericType<T> type) {
        return codec.decode(view.details(), type.type());
    }

    public Instant askedAt() {
        return view.askedAt();
    }

    /** When it goes to another group, or expires. */
    public Optional<Instant> dueAt() {
        return view.dueAt();
    }

    @Override
    public String toString() {
        return "task " + name() + " " + id();
    }
}
