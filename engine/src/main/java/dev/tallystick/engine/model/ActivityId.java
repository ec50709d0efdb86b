package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;

/**
 * Identifies one activity of a job by its name and its path. In a code workflow the path is the position in program order
 * ({@code "3"}, or {@code "3.1.2"} for the second call in the first branch of the third call).
 */
public record ActivityId(JobId job, String path, String name) {

    /** The body of a code workflow. */
    public static final String MAIN = "$main";

    /** The transition that cancels a job from outside. */
    public static ActivityId cancel(JobId job) {
        return Ending.CANCEL.of(job);
    }

    /** The transition that ends a job because one of its ledgers is full. */
    public static ActivityId ceiling(JobId job) {
        return Ending.CEILING.of(job);
    }

    /** The activity that undoes a job's steps. */
    public static ActivityId undo(JobId job) {
        return new ActivityId(job, "", "$undo");
    }

    public static ActivityId main(JobId job) {
        return new ActivityId(job, "", MAIN);
    }
}
