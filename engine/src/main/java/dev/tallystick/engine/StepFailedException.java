package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/** A step failed for good. A workflow may catch it and go another way; if it does not, its job fails with this reason. */
public final class StepFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String step;

    /** For the log only: a replay does not have it, so it is no cause that a workflow could look at. */
    private final transient @Nullable Throwable origin;

    StepFailedException(String step, String reason) {
        this(step, Fault.of(reason));
    }

    StepFailedException(String step, Fault fault) {
        super("step '" + step + "' failed: " + fault.error());
        this.step = step;
        this.origin = fault.thrown();
    }

    @Nullable
    Throwable origin() {
        return origin;
    }

    public String step() {
        return step;
    }
}
