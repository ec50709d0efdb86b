package dev.tallystick.engine;

/**
 * Identifies one activity of a job by its name and its path. In a code workflow the path is the position in program order
 * ({@code "3"}, or {@code "3.1.2"} for the second call in the first branch of the third call).
 */
record ActivityId(JobId job, String path, String name) {

    /** The body of a code workflow. */
    static final String MAIN = "$main";

    /** The transition that cancels a job from outside. */
    static ActivityId cancel(JobId job) {
        return Ending.CANCEL.of(job);
    }

    /** The transition that ends a job because one of its ledgers is full. */
    static ActivityId ceiling(JobId job) {
        return Ending.CEILING.of(job);
    }

    /** The activity that undoes a job's steps. */
    static ActivityId undo(JobId job) {
        return new ActivityId(job, "", "$undo");
    }

    static ActivityId main(JobId job) {
        return new ActivityId(job, "", MAIN);
    }
}
