package dev.tallystick.engine;

import org.jspecify.annotations.Nullable;

/** An expression cannot be read, or cannot be evaluated over what the job holds. Trying again would not help. */
public final class ExpressionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ExpressionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
