package dev.tallystick.engine;

/**
 * Identifies a transition; its GUID is derived from this.
 *
 * @param ordinal which cycle or which wait; 0 for an activity with a single transition
 */
record Identity(ActivityId activity, long ordinal) {

    Guid guid() {
        return Guid.of(activity, ordinal);
    }

    /** The GUID of the same transition in another job. */
    Guid in(JobId other) {
        return Guid.of(new ActivityId(other, activity.path(), activity.name()), ordinal);
    }
}
