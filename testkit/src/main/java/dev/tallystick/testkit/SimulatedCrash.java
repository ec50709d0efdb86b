package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;

/**
 * The death of a process, played inside this one. An {@link Error}, so that no handler of exceptions takes it for a failure
 * to be recorded, retried or reported: a dead process does none of these. Code that catches it has to rethrow it.
 */
public final class SimulatedCrash extends Error {

    private final transient CrashPoint point;

    SimulatedCrash(CrashPoint point) {
        super("crashed at " + PointName.of(point));
        this.point = point;
    }

    public CrashPoint point() {
        return point;
    }
}
