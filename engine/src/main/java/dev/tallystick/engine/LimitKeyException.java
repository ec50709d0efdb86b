package dev.tallystick.engine;

/** The key of a workflow's limit cannot be had from an input. Trying again would not help. */
final class LimitKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    LimitKeyException(String workflow, Throwable cause) {
        super("the limit of workflow '" + workflow + "' has no key for this input: " + Failures.describe(cause), cause);
    }
}
