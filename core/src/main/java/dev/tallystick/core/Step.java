package dev.tallystick.core;

/** The durable steps of Leg 2, in execution order. Each commits together with its marker, or not at all. */
public enum Step {
    WORK(Digit.WORK_DONE),
    CHILDREN(Digit.CHILDREN_SPAWNED),
    /** Only for the transition that closed the job. */
    COMPLETION_TASKS(Digit.COMPLETION_TASKS_DONE);

    private final Digit marker;

    Step(Digit marker) {
        this.marker = marker;
    }

    /** The flag that proves this step. */
    public Digit marker() {
        return marker;
    }
}
