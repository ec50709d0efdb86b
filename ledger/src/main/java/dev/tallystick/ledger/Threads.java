package dev.tallystick.ledger;

/** Waiting for a thread of ours to end, which it will: an interrupt is kept for the caller and does not cut the wait short. */
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
