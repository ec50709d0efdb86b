package dev.tallystick.daemon.delivery;

import dev.tallystick.core.ProblemCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The server's answer for one row, or the lack of one. */
public sealed interface SendOutcome {

    /** The server has it, now or since an earlier attempt. */
    record Accepted(String messageId, @Nullable String historyId) implements SendOutcome {}

    /**
     * The server refused it. This attempt did nothing.
     *
     * @param holdsForEveryAttempt whether this proves that earlier attempts did nothing either
     */
    record Refused(ProblemCode code, String detail, boolean holdsForEveryAttempt) implements SendOutcome {}

    /**
     * There is no definite answer.
     *
     * @param mayHaveHappened false if this attempt certainly did nothing
     * @param isConnected false if there was no connection at all
     * @param rest the least pause before the next attempt
     */
    record NotNow(boolean mayHaveHappened, boolean isConnected, String detail, Duration rest) implements SendOutcome {}
}
