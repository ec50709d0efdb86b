package dev.tallystick.engine;

/**
 * Names one activity of a job: what it is called, and the path of its place. In a code workflow the path is the place in program
 * order ({@code "3"}, or {@code "3.1.2"} for the second thing that the first branch of the third call does).
 */
record ActivityId(JobId job, String path, String name) {

    /** The body of a code workflow. */
    static final String MAIN = "$main";

    /** The transition that ends a job from outside. */
    static ActivityId cancel(JobId job) {
        return Ending.CANCEL.of(job);
    }

    /** The transition that ends a job one of whose ledgers is full. */
    static ActivityId ceiling(JobId job) {
        return Ending.CEILING.of(job);
    }

    /** Taking back what a job has done. */
    static ActivityId undo(JobId job) {
        return new ActivityId(job, "", "$undo");
    }

    static ActivityId main(JobId job) {
        return new ActivityId(job, "", MAIN);
    }
}
