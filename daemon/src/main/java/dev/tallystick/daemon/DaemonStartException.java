package dev.tallystick.daemon;

import java.io.Serial;

/** A daemon cannot start. The message says why, and what to do. */
public final class DaemonStartException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** What stands in the way. */
    public enum Kind {
        /** Another daemon uses the directory. */
        IN_USE,
        /** The directory, or a file in it, is open to others, is someone else's, or is not what it should be. */
        NOT_PRIVATE,
        /** The directory was copied from another machine. */
        CLONED,
        /** The outbox is damaged or lost, or a newer version wrote a file. */
        OUTBOX,
        /** The directory or the socket cannot be used. */
        UNUSABLE
    }

    private final Kind kind;

    DaemonStartException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    DaemonStartException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
