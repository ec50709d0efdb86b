package dev.tallystick.sql;

/** This schema and this code do not match. Upgrade the code, or restore the changed schema. */
public final class SchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SchemaException(String message) {
        super(message);
    }
}
