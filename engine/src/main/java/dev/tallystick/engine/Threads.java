package dev.tallystick.engine;

import java.time.Duration;
import java.util.Collection;

/** Waits for threads to end. */
final class Threads {

    private Threads() {}

    static void awaitAll(Collection<Thread> threads, long deadlineNanos) {
        try {
            for (Thread thread : threads) {
                thread.join(Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
