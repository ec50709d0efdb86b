package dev.tallystick.workflow;

/** A job's result cannot be recorded. The job cannot continue, and fails with the reason. */
public final class NotRecordedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public NotRecordedException(Throwable refusal) {
        super("what the job did cannot be recorded: " + refusal.getMessage(), refusal);
    }
}
