package dev.tallystick.engine;

/** A step failed for good. A workflow may catch it and go another way; if it does not, its job fails with this reason. */
public final class StepFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String step;

    StepFailedException(String step, String reason) {
        super("step '" + step + "' failed: " + reason);
        this.step = step;
    }

    public String step() {
        return step;
    }
}
