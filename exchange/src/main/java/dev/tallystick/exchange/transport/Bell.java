package dev.tallystick.exchange.transport;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets receivers sleep until something may have arrived, without asking the database. Rings before the first call. Thread-safe. */
final class Bell {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition rung = lock.newCondition();
    private long rings = 1;
    private long answered;
    private boolean closed;

    void ring() {
        lock.lock();
        try {
            rings++;
            rung.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a ring that is not answered, at most this long; returns how often it has rung. */
    long await(Duration wait) {
        lock.lock();
        try {
            awaitUnanswered(wait.toNanos());
            return rings;
        } finally {
            lock.unlock();
        }
    }

    private void awaitUnanswered(long nanos) {
        long left = nanos;
        try {
            while (rings == answered && !closed && left > 0) {
                left = rung.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A receiver that came after so many rings has left nothing behind. */
    void answered(long number) {
        lock.lock();
        try {
            answered = Math.max(answered, number);
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            rung.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
