package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;

/**
 * The right to record the result of one posting, until the lease expires.
 *
 * @param fence increases with every lease of the posting; a holder with an older fence has lost its lease
 */
public record Lease(ActivityId activity, Guid guid, long fence) {

    public JobId job() {
        return activity.job();
    }
}
