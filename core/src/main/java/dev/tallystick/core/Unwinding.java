package dev.tallystick.core;

/**
 * Leaves code that users have written, because it must stop here. Thrown by us, and no failure of theirs: where their
 * failures are caught, this is let through. An error, so that their own {@code catch (Exception …)} lets it pass as well.
 */
public abstract class Unwinding extends Error {

    private static final long serialVersionUID = 1L;

    /** Without a stack trace: it is never printed. */
    public Unwinding(String why) {
        super(why, null, false, false);
    }
}
