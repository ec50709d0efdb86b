package dev.tallystick.server;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.UnknownOutcomeException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Objects;

/** The server's Postgres cannot be used: it is unreachable, or refuses access. */
public final class NoDatabaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoDatabaseException(Throwable cause) {
        super("cannot use the Postgres: " + reason(cause), cause);
    }

    /** Whether it may become usable without any change: it is starting, recovering, or out of connections. */
    boolean mayPass() {
        return switch (Objects.requireNonNull(getCause(), "it is made with a cause")) {
            case UnknownOutcomeException unknown -> true;
            case DefiniteFailureException failure -> failure.reason() != DefiniteFailureException.Reason.REFUSED;
            case Throwable failure ->
                !(failure.getCause() instanceof SQLException said) || Database.mayLetInLater(said);
        };
    }

    /** The driver's message; for an unknown host that says only that something failed. */
    private static String reason(Throwable failure) {
        Throwable said = failure.getCause() == null ? failure : failure.getCause();
        return said.getCause() instanceof UnknownHostException unknown
                ? "there is no host " + unknown.getMessage()
                : String.valueOf(said.getMessage());
    }
}
