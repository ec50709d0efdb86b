package dev.tallystick.testkit;

/**
 * Holds threads at a place until the test lets them go on. With a crash point it stops code under test where a schedule
 * needs it to stop:
 *
 * <pre>{@code
 * Gate gate = new Gate("the slow worker before its commit");
 * CrashPoints points = point -> {
 *     if (point == BEFORE_COMMIT) {
 *         gate.pass();
 *     }
 * };
 * }</pre>
 *
 * Thread-safe. A gate that nobody opens fails the thread that stands there; it does not hold it for ever.
 */
public final class Gate {

    private final Signal arrived;
    private final Signal opened;

    public Gate(String what) {
        this.arrived = new Signal("an arrival at the gate: " + what);
        this.opened = new Signal("somebody to open the gate: " + what);
    }

    /** For the code under test: says that it is here, and waits until the gate is open. */
    public void pass() {
        arrived.fire();
        opened.await();
    }

    /** For the test: waits until a thread has come to the gate. */
    public void awaitArrival() {
        arrived.await();
    }

    /** Lets everyone through, now and later. */
    public void open() {
        opened.fire();
    }
}
