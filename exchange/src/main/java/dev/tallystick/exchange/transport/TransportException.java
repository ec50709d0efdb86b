package dev.tallystick.exchange.transport;

import org.jspecify.annotations.Nullable;

/** The transport failed. Nothing needs to be done: every message is sent again until the other side has answered it. */
public final class TransportException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TransportException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
