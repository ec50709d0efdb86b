package dev.tallystick.engine.model;

import dev.tallystick.workflow.StepTimeoutException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts work that takes too long. If the work returns anyway, its result counts. Work that ignores the interrupt is waited
 * for, because two attempts at once would be worse than a late one.
 */
public final class TimeLimit {

    private final Thread worker = Thread.currentThread();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean done;
    private boolean expired;

    private TimeLimit() {}

    /**
     * Does the work on the caller's thread.
     *
     * @param limit null for none
     * @throws StepTimeoutException if the work failed after it was interrupted
     */
    public static <T extends @Nullable Object> T within(@Nullable Duration limit, Callable<T> work) throws Exception {
        if (limit == null) {
            return work.call();
        }
        TimeLimit time = new TimeLimit();
        Thread.ofVirtual().name("tally-time-limit").start(() -> time.watch(limit.toNanos()));
        try {
            return work.call();
        } catch (Exception e) {
            throw time.isExpired() ? new StepTimeoutException(limit, e) : e;
        } finally {
            time.end();
        }
    }

    private void watch(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!done && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (!done) {
                expired = true;
                worker.interrupt();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("the watch is never interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private boolean isExpired() {
        lock.lock();
        try {
            return expired;
        } finally {
            lock.unlock();
        }
    }

    /** The interrupt was for this work; later code on the thread must not see it. */
    private void end() {
        lock.lock();
        try {
            done = true;
            changed.signalAll();
            if (expired) {
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }
}
