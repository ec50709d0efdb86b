package dev.tallystick.postgres;

import org.jspecify.annotations.Nullable;

/** The server is not available. The subtype says who can fix it. */
public abstract sealed class EmbeddedPostgresException extends RuntimeException
        permits DirectoryInUseException, NotDurableException, PostgresStartException {

    EmbeddedPostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
