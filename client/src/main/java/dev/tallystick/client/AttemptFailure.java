package dev.tallystick.client;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * How the last attempt at a request ended. A call makes several attempts, and gives up when its patience is at its end.
 *
 * @param status of HTTP; null if there was no answer
 * @param detail for people: what to look for at the server, or in between
 */
public record AttemptFailure(Kind kind, @Nullable Integer status, String detail) implements Serializable {

    /** What kind of failure it was. */
    public enum Kind {
        /** There was no connection, so nothing was sent. */
        NO_CONNECTION,
        /** The connection broke before the whole answer was here. */
        CONNECTION_BROKEN,
        /** The whole answer was not here in time. */
        TIMED_OUT,
        /** There was an answer, but not one of a Tallystick server: a proxy gave it, or changed it. */
        FOREIGN_ANSWER,
        /** The server answered that it cannot do it now, or does not know what came of it. */
        NOT_NOW,
        /** The server refused, which says nothing about an earlier attempt whose answer was lost. */
        REFUSED,
        /** The calling thread was interrupted. */
        INTERRUPTED
    }

    @Override
    public String toString() {
        return detail;
    }
}
