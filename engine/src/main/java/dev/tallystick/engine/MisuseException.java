package dev.tallystick.engine;

/**
 * A workflow does something that would break its promise later: it is refused at once, and never tried again. The message says
 * what to do instead.
 */
public final class MisuseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MisuseException(String what) {
        super(what);
    }

    /** Whether this is what a failure comes from. */
    static boolean isCauseOf(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof MisuseException) {
                return true;
            }
        }
        return false;
    }
}
