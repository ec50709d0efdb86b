package dev.tallystick.client;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the last attempt at a request ended. A call makes several attempts, and gives up when its patience runs out.
 *
 * @param status the HTTP status; null if there was no answer
 * @param detail for people: what to look for at the server, or in between
 * @param retryAfter how long the server asked to be left alone; zero if it did not
 */
public record AttemptFailure(Kind kind, @Nullable Integer status, String detail, Duration retryAfter)
        implements Serializable {

    /** The kind of failure. */
    public enum Kind {
        /** There was no connection, so nothing was sent. */
        NO_CONNECTION,
        /** The connection broke before the whole answer had arrived. */
        CONNECTION_BROKEN,
        /** The whole answer did not arrive in time. */
        TIMED_OUT,
        /** There was an answer, but not from a Tallystick server: a proxy sent or changed it. */
        FOREIGN_ANSWER,
        /** The server answered that it cannot do it now, or does not know the outcome. */
        NOT_NOW,
        /** The server refused, which does not settle an earlier attempt whose answer was lost. */
        REFUSED,
        /** The calling thread was interrupted. */
        INTERRUPTED
    }

    AttemptFailure(Kind kind, @Nullable Integer status, String detail) {
        this(kind, status, detail, Duration.ZERO);
    }

    @Override
    public String toString() {
        return detail;
    }
}
