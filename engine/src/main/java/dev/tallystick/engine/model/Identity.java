package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;

/**
 * Identifies a transition; its GUID is derived from this.
 *
 * @param ordinal which cycle or which wait; 0 for an activity with a single transition
 */
public record Identity(ActivityId activity, long ordinal) {

    public Guid guid() {
        return Guid.of(activity, ordinal);
    }

    /** The GUID of the same transition in another job. */
    public Guid in(JobId other) {
        return Guid.of(new ActivityId(other, activity.path(), activity.name()), ordinal);
    }
}
