package dev.tallystick.server;

/** The server cannot listen where it shall: most likely something else does. Choose another place, or end what is there. */
public final class ListenFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ListenFailedException(String host, int port) {
        super("cannot listen on " + host + " port " + port);
    }
}
