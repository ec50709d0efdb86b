package dev.tallystick.engine;

/** What a job has done cannot be recorded. The job can do nothing more, and fails with the reason. */
public final class NotRecordedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotRecordedException(Throwable refusal) {
        super("what the job did cannot be recorded: " + refusal.getMessage(), refusal);
    }
}
