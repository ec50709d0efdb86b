package dev.tallystick;

import dev.tallystick.workflow.JobId;
import java.time.Duration;

/** The job has not closed yet and keeps running; ask again, or see {@link JobHandle#why()}. */
public final class JobOpenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JobOpenException(JobId job, Duration patience) {
        super("job " + job + " is still open after " + patience + "; it keeps running, ask again");
    }
}
