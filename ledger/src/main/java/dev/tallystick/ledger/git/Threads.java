package dev.tallystick.ledger.git;

/** Waits for one of our threads to end, which it will: an interrupt is kept for the caller and does not end the wait. */
public final class Threads {

    private Threads() {}

    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
