package dev.tallystick.testkit;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** How bytes currently pass through a proxy, in both directions of all connections. Thread-safe. */
final class Traffic {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean stopped;
    private Duration delay = Duration.ZERO;

    void flow(Duration newDelay) {
        change(false, newDelay);
    }

    void stop() {
        change(true, Duration.ZERO);
    }

    /** Makes waiting threads check again whether they still have to wait. */
    void recheck() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when bytes that have just arrived may pass, or need not pass any more. */
    void awaitPassage(BooleanSupplier needed) throws InterruptedException {
        lock.lock();
        try {
            long arrival = System.nanoTime();
            while (needed.getAsBoolean()) {
                long left = delay.toNanos() - (System.nanoTime() - arrival);
                if (stopped) {
                    changed.await();
                } else if (left > 0) {
                    changed.awaitNanos(left);
                } else {
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void change(boolean nowStopped, Duration newDelay) {
        lock.lock();
        try {
            stopped = nowStopped;
            delay = newDelay;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
