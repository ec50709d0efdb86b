package dev.tallystick.postgres;

import org.jspecify.annotations.Nullable;

/** Why there is no server. The subtype says who can do something about it. */
public abstract sealed class EmbeddedPostgresException extends RuntimeException
        permits DirectoryInUseException, NotDurableException, PostgresStartException {

    EmbeddedPostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
