package dev.tallystick.ledger;

/** Waits for one of our threads to end, which it will: an interrupt is kept for the caller and does not end the wait. */
final class Threads {

    private Threads() {}

    static void join(Thread thread) {
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
