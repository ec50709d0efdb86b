package dev.tallystick.engine;

/** The job cannot be done again in this way. Nothing was written; the message says what to do instead. */
public final class ForkRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What stands in the way. */
    public enum Reason {
        /** The job has not ended yet. */
        OPEN,
        /** There is no such step, or there are several. */
        NO_SUCH_STEP,
        /** Its kind or its end leaves nothing to go on from. */
        NOTHING_TO_GO_ON_FROM,
        /** It is no dead letter. */
        NO_LETTER,
        /** It is one of a graph whose limit lets no further job begin now. */
        OVER_LIMIT
    }

    private final Reason reason;

    ForkRefusedException(JobId job, Reason reason, String problem) {
        super("job " + job + " " + problem);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
