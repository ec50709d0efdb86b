package dev.tallystick.core;

/**
 * The number of open obligations of one job. The job is complete at zero, so the count never falls below zero: a change that
 * would do so breaks an invariant and throws.
 */
public record JobSemaphore(long open) {

    public JobSemaphore {
        if (open < 0) {
            throw new IllegalArgumentException("a job cannot have fewer than 0 open obligations, got " + open);
        }
    }

    /**
     * The change that step 2 makes to the semaphore: the children it opens, minus the activity itself if this Leg 2 is its
     * last. Cycles, and hooks that take several signals, also have Leg 2s that close nothing.
     */
    public static long delta(int children, boolean last) {
        if (children < 0) {
            throw new IllegalArgumentException("a step must spawn 0 or more children, got " + children);
        }
        return children - (last ? 1L : 0L);
    }

    public JobSemaphore plus(long delta) {
        return new JobSemaphore(Math.addExact(open, delta));
    }

    /** Whether the semaphore is at {@code threshold}; normally that is 0, and the job is complete. */
    public boolean isAt(long threshold) {
        return open == threshold;
    }
}
