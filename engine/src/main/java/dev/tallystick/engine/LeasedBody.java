package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/**
 * A body that may run now, with what it needs to begin.
 *
 * @param keysOf the job under whose keys foreign systems are asked: itself, or the one that it is a fork of
 * @param isChild whether another job waits for this one
 * @param isTimed whether the job must be done in time
 * @param wasLost whether somebody had leased it before and did not come back
 * @param isClosed whether the job has ended from outside, so that there is nothing to run
 * @param leasedAt when the lease was asked for, as {@link System#nanoTime()} has it: it has not run out before its length has passed
 * @param traceParent where its spans belong, if that is known without asking
 */
record LeasedBody(
        Lease lease,
        String mesh,
        String workflow,
        int version,
        byte[] input,
        JobId keysOf,
        boolean isChild,
        boolean isTimed,
        boolean wasLost,
        boolean isClosed,
        long leasedAt,
        @Nullable String traceParent) {

    /** What the log says of a step of it; of the job itself, for its body. */
    FailureLog.Subject about(ActivityId activity) {
        boolean isStep = !activity.path().isEmpty();
        return new FailureLog.Subject(
                activity.job(),
                Runner.queueOf(workflow, version),
                isStep ? keysOf + ":" + activity.path() : keysOf.toString(),
                isStep ? activity.name() : null);
    }

    /** The body of a job that was leased with its start, by whoever runs it. */
    static LeasedBody first(NewJob job, long leasedAt) {
        Lease lease = new Lease(job.first(), Guid.of(job.first(), 0), 1);
        return new LeasedBody(
                lease,
                job.mesh(),
                job.workflow(),
                job.version(),
                job.input(),
                job.id(),
                false,
                job.isTimed(),
                false,
                false,
                leasedAt,
                job.traceParent());
    }
}
