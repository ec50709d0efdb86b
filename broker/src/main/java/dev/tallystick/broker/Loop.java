package dev.tallystick.broker;

import dev.tallystick.sql.TransactionException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
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
    private final Semaphore rings = new Semaphore(0);
    private volatile boolean ended;

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
        if (rings.availablePermits() == 0) {
            rings.release();
        }
    }

    /** Ends after what is being done, and waits for that. */
    void end(Duration limit) {
        ended = true;
        rings.release();
        if (thread.getState() != Thread.State.NEW) {
            try {
                thread.join(limit);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
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
        try {
            boolean unused = rings.tryAcquire(interval.toNanos(), TimeUnit.NANOSECONDS);
            rings.drainPermits();
            return !ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
