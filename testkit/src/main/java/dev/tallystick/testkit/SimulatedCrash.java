package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.Unwinding;

/**
 * The death of a process, simulated inside this one. An {@link Unwinding}, so that no handler takes it for a failure to
 * record, retry or report: a dead process does none of these. Code that catches it must rethrow it.
 */
public final class SimulatedCrash extends Unwinding {

    private final transient CrashPoint point;

    SimulatedCrash(CrashPoint point) {
        super("crashed at " + PointName.of(point));
        this.point = point;
    }

    public CrashPoint point() {
        return point;
    }
}
