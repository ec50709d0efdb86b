package dev.tallystick.server;

import java.net.UnknownHostException;

/** The Postgres that a server was given cannot be used: it is not there, or does not let us in. */
public final class NoDatabaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoDatabaseException(Throwable cause) {
        super("cannot connect to the Postgres: " + reason(cause), cause);
    }

    /** What the driver says; of a host that nobody knows it says only that something failed. */
    private static String reason(Throwable failure) {
        Throwable said = failure.getCause() == null ? failure : failure.getCause();
        return said.getCause() instanceof UnknownHostException unknown
                ? "there is no host " + unknown.getMessage()
                : String.valueOf(said.getMessage());
    }
}
