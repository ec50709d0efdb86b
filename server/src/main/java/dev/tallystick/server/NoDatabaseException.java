package dev.tallystick.server;

import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.UnknownOutcomeException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Objects;

/** The Postgres that a server was given cannot be used: it is not there, or does not let us in. */
public final class NoDatabaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoDatabaseException(Throwable cause) {
        super("cannot use the Postgres: " + reason(cause), cause);
    }

    /** Whether it may let us in later although nothing is changed: it starts, recovers, or has no room. */
    boolean mayPass() {
        return switch (Objects.requireNonNull(getCause(), "it is made with a cause")) {
            case UnknownOutcomeException unknown -> true;
            case DefiniteFailureException failure -> failure.reason() != DefiniteFailureException.Reason.REFUSED;
            case Throwable failure ->
                !(failure.getCause() instanceof SQLException said) || Database.mayLetInLater(said);
        };
    }

    /** What the driver says; of a host that nobody knows it says only that something failed. */
    private static String reason(Throwable failure) {
        Throwable said = failure.getCause() == null ? failure : failure.getCause();
        return said.getCause() instanceof UnknownHostException unknown
                ? "there is no host " + unknown.getMessage()
                : String.valueOf(said.getMessage());
    }
}
