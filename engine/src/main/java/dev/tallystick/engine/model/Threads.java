package dev.tallystick.engine.model;

import java.time.Duration;
import java.util.Collection;

/** Waits for threads to end. */
public final class Threads {

    private Threads() {}

    public static void awaitAll(Collection<Thread> threads, long deadlineNanos) {
        try {
            for (Thread thread : threads) {
                thread.join(Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
