package dev.tallystick.engine.model;

import dev.tallystick.core.Unwinding;
import java.util.Locale;

/**
 * Unwinds a body that must not continue here: it lost its lease, its job has closed, or it waits and runs again when there is
 * something to do.
 */
public final class ExecutionStopped extends Unwinding {

    private static final long serialVersionUID = 1L;

    public enum Reason {
        LEASE_LOST,
        JOB_CLOSED,
        TO_BE_UNDONE,
        PARKED,
        BRANCH_CANCELLED,
        /** The database gave no answer for too long: the last request may or may not have happened. */
        OUTCOME_UNKNOWN,
        SHUT_DOWN;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Reason reason;

    public ExecutionStopped(Reason reason) {
        super(reason.name());
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
