package dev.tallystick.workflow;

/** The job does not exist: it was never accepted, or its retention is over. */
public final class UnknownJobException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UnknownJobException(JobId job) {
        super("there is no job " + job + ": it was never accepted, or is no longer kept");
    }
}
