package dev.tallystick.engine;

/** The job cannot be done again in this way. Nothing was written; the message says what to do instead. */
public final class ForkRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ForkRefusedException(JobId job, String problem) {
        super("job " + job + " " + problem);
    }
}
