package dev.tallystick;

import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;

/** The job closed without a result. Asking again gives the same answer. */
public final class JobFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final JobOutcome outcome;

    JobFailedException(JobId job, JobOutcome outcome, String reason) {
        super("job " + job + " ended " + outcome.text() + ": " + reason);
        this.outcome = outcome;
    }

    public JobOutcome outcome() {
        return outcome;
    }
}
