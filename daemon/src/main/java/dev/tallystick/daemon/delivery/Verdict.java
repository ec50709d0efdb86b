package dev.tallystick.daemon.delivery;

import dev.tallystick.core.ProblemCode;
import dev.tallystick.daemon.outbox.OutboxRow;
import org.jspecify.annotations.Nullable;

/** What the server's answer means for a row. */
sealed interface Verdict {

    record Done(String messageId, @Nullable String historyId) implements Verdict {}

    /** Never send it again. */
    record Die(String error) implements Verdict {}

    /** Send it again later. */
    record TryAgain(String error) implements Verdict {}

    /** The daemon's token is the problem, not the row: stop sending anything. */
    record Pause(ProblemCode code, String detail) implements Verdict {}

    /**
     * The verdict on an outcome.
     *
     * @param mayHaveHappened whether an earlier attempt, or this one, may have reached the server
     */
    static Verdict of(SendOutcome outcome, boolean mayHaveHappened) {
        return switch (outcome) {
            case SendOutcome.Accepted accepted -> new Done(accepted.messageId(), accepted.historyId());
            case SendOutcome.Refused refused -> ofRefusal(refused, mayHaveHappened);
            case SendOutcome.NotNow notNow -> new TryAgain(notNow.detail());
        };
    }

    private static Verdict ofRefusal(SendOutcome.Refused refused, boolean mayHaveHappened) {
        ProblemCode code = refused.code();
        String error = code.word() + ": " + refused.detail();
        return switch (code) {
            case UNAUTHENTICATED, FORBIDDEN -> new Pause(code, refused.detail());
            // Something else answers at this address, or an older server: that says nothing about the row.
            case NOT_FOUND, METHOD_NOT_ALLOWED -> new TryAgain(error);
            default -> {
                if (code.lasting() == ProblemCode.Lasting.TRANSIENT) {
                    yield new TryAgain(error);
                }
                yield mayHaveHappened && !refused.holdsForEveryAttempt()
                        ? new Die(OutboxRow.OUTCOME_UNKNOWN
                                + ": an earlier attempt got no answer, and this one was refused with " + error)
                        : new Die(error);
            }
        };
    }
}
