package dev.tallystick.testkit;

/**
 * Holds threads at a place until the test lets them continue. With a crash point it stops the code under test at an exact
 * place:
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
 * Thread-safe. If the gate is never opened, the waiting thread fails; it does not wait for ever.
 */
public final class Gate {

    private final Signal arrived;
    private final Signal opened;

    public Gate(String what) {
        this.arrived = new Signal("an arrival at the gate: " + what);
        this.opened = new Signal("the gate to be opened: " + what);
    }

    /** For the code under test: signals its arrival, and waits until the gate is open. */
    public void pass() {
        arrived.fire();
        opened.await();
    }

    /** For the test: waits until a thread has reached the gate. */
    public void awaitArrival() {
        arrived.await();
    }

    /** Lets all threads through, now and later. */
    public void open() {
        opened.fire();
    }
}
