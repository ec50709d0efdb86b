package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.Unwinding;

/**
 * The death of a process, played inside this one. {@link Unwinding}, so that no handler of failures takes it for one
 * to be recorded, retried or reported: a dead process does none of these. Code that catches it has to rethrow it.
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
