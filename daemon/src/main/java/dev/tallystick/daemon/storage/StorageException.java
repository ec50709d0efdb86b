package dev.tallystick.daemon.storage;

import java.io.Serial;

/** A database file failed. {@link #kind()} says what is true now. */
public final class StorageException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** What is true after a failure. */
    public enum Kind {
        /** The disk is full. Nothing was written; it may work later. */
        FULL,
        /** The file cannot be written or opened. Nothing was written; it may work later. */
        UNAVAILABLE,
        /** Writing failed at the last moment: after a crash it may turn out to be written. Ask again with the same key. */
        UNKNOWN,
        /** The file is damaged. An operator must look at it. */
        DAMAGED,
        /** A newer version wrote the file. Nothing was changed. */
        TOO_NEW,
        /** It was closed. Nothing was written. */
        CLOSED
    }

    private final Kind kind;

    public StorageException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public StorageException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
