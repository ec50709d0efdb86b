package dev.tallystick;

import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskView;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A question from a job to people, at the time it was read. */
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

    /** Its name in the workflow. */
    public String name() {
        return view.name();
    }

    /** Who may claim it; empty if it is for one person. */
    public Optional<String> group() {
        return view.group();
    }

    /** Who holds it; empty if it is unclaimed. */
    public Optional<String> assignee() {
        return view.assignee();
    }

    /** The data that the workflow attached to the question. */
    public <T extends @Nullable Object> T details(Class<T> type) {
        return codec.decode(view.details(), type);
    }

    /** Like {@link #details(Class)}, for a generic type. */
    public <T extends @Nullable Object> T details(GenericType<T> type) {
        return codec.decode(view.details(), type.type());
    }

    public Instant askedAt() {
        return view.askedAt();
    }

    /** When it passes to another group, or expires. */
    public Optional<Instant> dueAt() {
        return view.dueAt();
    }

    @Override
    public String toString() {
        return "task " + name() + " " + id();
    }
}
