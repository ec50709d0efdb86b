package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Halts this JVM, without finally blocks or shutdown hooks, when it reaches the point that its parent named with
 * {@link ChildJvm.Plan#haltingAt}. A main class meant to be killed passes {@link #configured()} to the code it runs.
 */
public final class HaltAt implements CrashPoints {

    /** The exit code of a JVM that halted at its point. */
    public static final int EXIT_CODE = 86;

    static final String POINT = "tally.halt.point";
    static final String ARRIVAL = "tally.halt.arrival";

    private final String point;
    private final int arrival;
    private final Runnable lastAct;
    private final AtomicInteger arrivals = new AtomicInteger();

    private HaltAt(String point, int arrival, Runnable lastAct) {
        this.point = point;
        this.arrival = arrival;
        this.lastAct = lastAct;
    }

    /** The parent's crash point; {@link CrashPoints#NONE} if it named none. */
    public static CrashPoints configured() {
        return configured(() -> {});
    }

    /** As {@link #configured()}, with an action to run at the point before halting, such as a message to the parent. */
    public static CrashPoints configured(Runnable lastAct) {
        String point = System.getProperty(POINT);
        return point == null ? NONE : new HaltAt(point, Integer.getInteger(ARRIVAL, 1), lastAct);
    }

    @Override
    public void reached(CrashPoint reached) {
        if (PointName.of(reached).equals(point) && arrivals.incrementAndGet() == arrival) {
            lastAct.run();
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
