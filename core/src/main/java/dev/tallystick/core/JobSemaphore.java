package dev.tallystick.core;

/**
 * The open obligations of one job. A job is complete when none is left, so the count never falls below zero: a move that
 * would take it there is a broken invariant, and throws.
 */
public record JobSemaphore(long open) {

    public JobSemaphore {
        if (open < 0) {
            throw new IllegalArgumentException("a job has no fewer than 0 open obligations, got " + open);
        }
    }

    /**
     * What step 2 adds to the semaphore: the children it opens, less the activity itself if this Leg 2 is its last. A cycle
     * or a hook that takes several signals has Leg 2s that close nothing.
     */
    public static long delta(int children, boolean last) {
        if (children < 0) {
            throw new IllegalArgumentException("a step spawns 0 or more children, got " + children);
        }
        return children - (last ? 1L : 0L);
    }

    public JobSemaphore plus(long delta) {
        return new JobSemaphore(Math.addExact(open, delta));
    }

    /** Whether the semaphore stands at {@code threshold}; ordinarily that is 0, and the job is complete. */
    public boolean isAt(long threshold) {
        return open == threshold;
    }
}
