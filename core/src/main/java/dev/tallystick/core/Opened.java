package dev.tallystick.core;

import java.util.ArrayDeque;
import java.util.Deque;

/** What a process has opened. Closes the last first, so that nothing is closed while something else still uses it. */
public final class Opened implements AutoCloseable {

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    /** Closes everything, also after a failure, and then reports all failures. */
    @Override
    public void close() {
        IllegalStateException failure = new IllegalStateException("could not close everything");
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }
}
