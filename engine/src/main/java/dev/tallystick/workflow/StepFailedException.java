package dev.tallystick.workflow;

import org.jspecify.annotations.Nullable;

/** A step failed permanently. A workflow may catch this and take another path; otherwise its job fails with this reason. */
public final class StepFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String step;

    /** For the log only: a replay does not have it, so it is not a cause that a workflow could inspect. */
    private final transient @Nullable Throwable origin;

    public StepFailedException(String step, String reason) {
        this(step, reason, null);
    }

    public StepFailedException(String step, String reason, @Nullable Throwable origin) {
        super("step '" + step + "' failed: " + reason);
        this.step = step;
        this.origin = origin;
    }

    @Nullable
    public Throwable origin() {
        return origin;
    }

    public String step() {
        return step;
    }
}
