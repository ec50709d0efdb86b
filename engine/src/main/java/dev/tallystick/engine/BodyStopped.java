package dev.tallystick.engine;

import dev.tallystick.core.Unwinding;
import java.util.Locale;

/**
 * Unwinds a body that must not go on here: its lease is lost, its job has closed, or it waits and will run again when there is
 * something to do.
 */
final class BodyStopped extends Unwinding {

    private static final long serialVersionUID = 1L;

    /** Why it stopped here. */
    enum Reason {
        LEASE_LOST,
        JOB_CLOSED,
        TO_BE_UNDONE,
        PARKED,
        BRANCH_CANCELLED,
        /** The database did not answer for long: what was asked of it last may have happened or not. */
        OUTCOME_UNKNOWN,
        SHUT_DOWN;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Reason reason;

    BodyStopped(Reason reason) {
        super(reason.name());
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }
}
