package dev.tallystick.engine;

/**
 * What a transition is: that which its GUID is made of.
 *
 * @param ordinal which cycle or which wait; 0 for an activity that is told one thing only
 */
record Identity(ActivityId activity, long ordinal) {

    Guid guid() {
        return Guid.of(activity, ordinal);
    }

    /** What the same transition is in another job. */
    Guid in(JobId other) {
        return Guid.of(new ActivityId(other, activity.path(), activity.name()), ordinal);
    }
}
