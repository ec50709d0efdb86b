package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;
import org.jspecify.annotations.Nullable;

/**
 * A body that may run now, with the data it needs to begin.
 *
 * @param keysOf the job whose keys are sent to external systems: this job, or the one that it was forked from
 * @param isChild whether another job waits for this one
 * @param isTimed whether the job has a deadline
 * @param wasLost whether a previous holder leased it and never came back
 * @param isClosed whether the job was ended from outside, so that nothing is left to run
 * @param leasedAt when the lease was requested, by {@link System#nanoTime()}; the lease lasts at least its full length from
 *     then
 * @param traceParent the parent of its spans, if known without a query
 */
public record LeasedJob(
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

    /** How the log describes one of its steps, or the job itself for the body. */
    public FailureLog.Subject about(ActivityId activity) {
        boolean isStep = !activity.path().isEmpty();
        return new FailureLog.Subject(
                activity.job(),
                Queues.of(workflow, version),
                isStep ? keysOf + ":" + activity.path() : keysOf.toString(),
                isStep ? activity.name() : null);
    }

    /** The body of a job that its runner leased when starting it. */
    public static LeasedJob first(NewJob job) {
        Lease lease = new Lease(job.first(), Guid.of(job.first(), 0), 1);
        return new LeasedJob(
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
                job.madeAt(),
                job.traceParent());
    }
}
