package dev.tallystick;

import dev.tallystick.engine.JobId;
import java.time.Duration;

/** The job has not closed yet. It goes on; ask again, or ask {@link JobHandle#why()}. */
public final class JobOpenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JobOpenException(JobId job, Duration patience) {
        super("job " + job + " is still open after " + patience + "; it goes on, ask again");
    }
}
