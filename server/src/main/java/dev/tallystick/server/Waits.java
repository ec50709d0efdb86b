package dev.tallystick.server;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Where requests wait for something to happen. Nobody waits for a server that stops: they are answered at once, and it
 * need not wait for them. Thread-safe.
 */
final class Waits {

    private final Duration longest;
    private final Set<Thread> waiting = new HashSet<>();
    private boolean over;

    Waits(Duration longest) {
        this.longest = longest;
    }

    /** Something that does nothing but wait. */
    @FunctionalInterface
    interface Wait<T> {
        T await() throws InterruptedException;
    }

    /** How long a request may wait. */
    Duration longest() {
        return longest;
    }

    /** Waits, and is interrupted when the server stops. */
    <T> T in(Wait<T> wait) throws InterruptedException {
        begin();
        try {
            return wait.await();
        } finally {
            end();
        }
    }

    void pause(Duration time) throws InterruptedException {
        in(() -> {
            Thread.sleep(time);
            return true;
        });
    }

    /** From now on nobody waits. */
    synchronized void endAll() {
        over = true;
        waiting.forEach(Thread::interrupt);
    }

    synchronized int number() {
        return waiting.size();
    }

    synchronized boolean areOver() {
        return over;
    }

    private synchronized void begin() throws InterruptedException {
        if (over) {
            throw new InterruptedException("the server is stopping");
        }
        waiting.add(Thread.currentThread());
    }

    private synchronized void end() {
        waiting.remove(Thread.currentThread());
        if (over) {
            // It may have come a moment after the wait, and is not meant for what is done next.
            Thread.interrupted();
        }
    }
}
