package dev.tallystick.engine;

import java.util.Locale;

/**
 * Unwinds a body that must not go on here: its lease is lost, its job has closed, or it waits and will run again when there is
 * something to do. An error, so that a workflow's own {@code catch (Exception …)} lets it pass.
 */
final class BodyStopped extends Error {

    private static final long serialVersionUID = 1L;

    /** Why it stopped here. */
    enum Reason {
        LEASE_LOST,
        JOB_CLOSED,
        TO_BE_UNDONE,
        PARKED,
        BRANCH_CANCELLED,
        SHUT_DOWN;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Reason reason;

    BodyStopped(Reason reason) {
        super(reason.name(), null, false, false);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }
}
