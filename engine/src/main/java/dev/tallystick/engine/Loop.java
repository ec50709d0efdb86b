package dev.tallystick.engine;

import dev.tallystick.sql.TransactionException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does one thing again and again: when it is rung for, and otherwise at an interval. A ring that comes while the thing is being
 * done is not lost. A database that is away makes it try again at the next interval; anything else ends it.
 */
final class Loop {

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final String name;
    private final Duration interval;
    private final Runnable task;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean rung;
    private boolean ended;

    Loop(String name, Duration interval, Runnable task) {
        this.name = name;
        this.interval = interval;
        this.task = task;
        this.thread = Thread.ofVirtual().name("tally-" + name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Do it now. */
    void ring() {
        lock.lock();
        try {
            rung = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends after what is being done. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end, if it ever began. */
    void awaitEnd(Duration limit) {
        if (thread.getState() == Thread.State.NEW) {
            return;
        }
        try {
            thread.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (awaitTurn()) {
            try {
                task.run();
            } catch (TransactionException e) {
                LOG.warn("{} will be tried again in {}", name, interval, e);
            }
        }
    }

    private boolean awaitTurn() {
        lock.lock();
        try {
            long left = interval.toNanos();
            while (!rung && !ended && left > 0) {
                left = changed.awaitNanos(left);
            }
            rung = false;
            return !ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }
}
