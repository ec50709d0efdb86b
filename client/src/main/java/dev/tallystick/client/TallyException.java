package dev.tallystick.client;

import java.io.Serial;

/** A request failed. The type says what to do. */
public abstract sealed class TallyException extends RuntimeException
        permits RefusedException, OutcomeUnknownException, UnavailableException {

    @Serial
    private static final long serialVersionUID = 1L;

    TallyException(String message, Throwable cause) {
        super(message, cause);
    }

    TallyException(String message) {
        super(message);
    }
}
