package dev.tallystick.sql;

/** This schema and this code do not go together. A human decides: upgrade the code, or restore what was changed. */
public final class SchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SchemaException(String message) {
        super(message);
    }
}
