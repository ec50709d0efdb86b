package dev.tallystick.workflow;

/** The job cannot be rerun, forked or redriven this way. Nothing was written; the message says what to do instead. */
public final class ForkRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public enum Reason {
        /** The job has not ended yet. */
        OPEN,
        /** No step matches, or several do. */
        NO_SUCH_STEP,
        /** Its kind or its end leaves nothing to resume from. */
        NOTHING_TO_GO_ON_FROM,
        /** It is no dead letter. */
        NO_LETTER,
        /** It is one of a graph whose limit lets no further job begin now. */
        OVER_LIMIT
    }

    private final Reason reason;

    public ForkRefusedException(JobId job, Reason reason, String problem) {
        super("job " + job + " " + problem);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
