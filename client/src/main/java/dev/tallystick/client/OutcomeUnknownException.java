package dev.tallystick.client;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The outcome is unknown: the reply was lost, and the server could not be asked again in time, or refused; then the cause is a
 * {@link RefusedException}. Send the same request again under the same key as soon as possible: that reveals the outcome and
 * does nothing twice. The few calls for which this does not hold say so, and say what to do instead.
 */
public final class OutcomeUnknownException extends TallyException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final AttemptFailure failure;

    OutcomeUnknownException(Request request, AttemptFailure failure, @Nullable Throwable cause) {
        this(
                "it is unknown whether " + request + " happened: " + failure + "; " + advice(request),
                failure,
                cause == null ? new IllegalStateException(failure.detail()) : cause);
    }

    OutcomeUnknownException(Request request, RefusedException refused) {
        this(
                "it is unknown whether " + request + " happened: an answer was lost, and the next one was a refusal ("
                        + refused.getMessage() + "), which says nothing about it"
                        + (request.key() == null ? "" : "; the key is " + request.key()),
                refused.failure(),
                refused);
    }

    OutcomeUnknownException(String message, AttemptFailure failure, Throwable cause) {
        super(message, cause);
        this.failure = failure;
    }

    /** How the last attempt ended: its kind, its status, and where it failed. */
    public AttemptFailure failure() {
        return failure;
    }

    private static String advice(Request request) {
        if (!request.repeatable()) {
            return "look, before you ask for another one";
        }
        return "send it again" + (request.key() == null ? "" : " under the key " + request.key());
    }
}
