package dev.tallystick.engine.model;

/** The key function of a workflow's limit failed for an input. A retry would not help. */
public final class LimitKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    public LimitKeyException(String workflow, Throwable cause) {
        super("the limit of workflow '" + workflow + "' has no key for this input: " + Failures.describe(cause), cause);
    }
}
