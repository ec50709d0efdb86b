package dev.tallystick.exchange.message;

import org.jspecify.annotations.Nullable;

/** These bytes are not a message. Definite: they will be refused again. */
public final class MalformedMessageException extends Exception {

    private static final long serialVersionUID = 1L;

    MalformedMessageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
