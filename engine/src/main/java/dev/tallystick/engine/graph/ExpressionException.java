package dev.tallystick.engine.graph;

import org.jspecify.annotations.Nullable;

/** An expression cannot be parsed, or cannot be evaluated over the data of the job. A retry would not help. */
public final class ExpressionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ExpressionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
