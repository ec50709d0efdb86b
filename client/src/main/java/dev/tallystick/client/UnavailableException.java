package dev.tallystick.client;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The server was unreachable or too busy until the patience ran out. Nothing happened; try again later. */
public final class UnavailableException extends TallyException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final AttemptFailure failure;

    UnavailableException(String message, AttemptFailure failure, @Nullable Throwable cause) {
        super(message, cause == null ? new IllegalStateException(message) : cause);
        this.failure = failure;
    }

    /** How the last attempt ended: its kind, its status, and where it failed. */
    public AttemptFailure failure() {
        return failure;
    }
}
