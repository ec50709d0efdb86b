package dev.tallystick.engine;

/** The key function of a workflow's limit failed for an input. A retry would not help. */
final class LimitKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    LimitKeyException(String workflow, Throwable cause) {
        super("the limit of workflow '" + workflow + "' has no key for this input: " + Failures.describe(cause), cause);
    }
}
