package dev.tallystick.workflow;

/**
 * A workflow does something that would break a guarantee later. It is refused at once and never retried. The message says what
 * to do instead.
 */
public final class MisuseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public MisuseException(String what) {
        super(what);
    }

    /** Whether a misuse caused this failure. */
    public static boolean isCauseOf(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof MisuseException) {
                return true;
            }
        }
        return false;
    }
}
