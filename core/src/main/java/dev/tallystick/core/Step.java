package dev.tallystick.core;

/** The durable steps of Leg 2, in execution order. Each commits together with its marker, or not at all. */
public enum Step {
    WORK,
    CHILDREN,
    /** Only for the transition that closed the job. */
    COMPLETION_TASKS
}
