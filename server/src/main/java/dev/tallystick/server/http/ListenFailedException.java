package dev.tallystick.server.http;

/** The address cannot be bound, most likely because it is in use. Choose another port or stop the other process. */
public final class ListenFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ListenFailedException(String host, int port) {
        super("cannot listen on " + host + " port " + port);
    }
}
