package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Simulates a crash of the process when it reaches one point for the n-th time, by throwing {@link SimulatedCrash}.
 *
 * <p>The dead stay dead: afterwards every thread that reaches any point crashes as well, so that nothing of the "process" gets
 * past its next crash point. The restarted process gets other {@link CrashPoints}. Thread-safe.
 */
public final class CrashAt implements CrashPoints {

    private final CrashPoint point;
    private final int arrival;
    private final AtomicInteger arrivals = new AtomicInteger();
    private final Signal crash;

    private CrashAt(CrashPoint point, int arrival) {
        if (arrival < 1) {
            throw new IllegalArgumentException("arrivals are counted from 1, got " + arrival);
        }
        this.point = point;
        this.arrival = arrival;
        this.crash = new Signal("a crash at arrival " + arrival + " at " + PointName.of(point));
    }

    public static CrashAt first(CrashPoint point) {
        return new CrashAt(point, 1);
    }

    public static CrashAt nth(CrashPoint point, int arrival) {
        return new CrashAt(point, arrival);
    }

    @Override
    public void reached(CrashPoint reached) {
        if (reached.equals(point) && arrivals.incrementAndGet() == arrival) {
            crash.fire();
        }
        if (crash.hasFired()) {
            throw new SimulatedCrash(reached);
        }
    }

    public boolean hasCrashed() {
        return crash.hasFired();
    }

    /** For crashes on a thread of the code under test. */
    public void awaitCrash() {
        crash.await();
    }
}
