package dev.tallystick.sql;

import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does one thing again and again: when it is rung for, at moments that were named, and otherwise at an interval. A ring that comes while the thing is being
 * done is not lost. A turn that fails, because the database is away or for any other reason, is logged, and the next one comes
 * all the same: nobody is there to start it again.
 */
public final class Loop {

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final String name;
    private final Duration interval;
    private final Duration rest;
    private final Runnable task;
    private final Thread thread;

    /** So many moments are remembered, the nearest ones; what falls due at others is found at the interval. */
    private static final int MAX_MOMENTS = 10_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final TreeSet<Duration> moments = new TreeSet<>();
    private final long begin = System.nanoTime();
    private Duration next;
    private boolean rung;
    private boolean ended;

    public Loop(String name, Duration interval, Runnable task) {
        this(name, interval, Duration.ZERO, task);
    }

    /** @param rest what lies between two turns at least: rings that come close together are answered together */
    public Loop(String name, Duration interval, Duration rest, Runnable task) {
        this(name, interval, interval, rest, task);
    }

    /** One that does not wait for a whole interval before its first turn. */
    public static Loop withFirst(Duration first, String name, Duration interval, Runnable task) {
        return new Loop(name, first, interval, Duration.ZERO, task);
    }

    private Loop(String name, Duration first, Duration interval, Duration rest, Runnable task) {
        this.name = name;
        this.next = first;
        this.interval = interval;
        this.rest = rest;
        this.task = task;
        this.thread = Thread.ofVirtual().name("tally-" + name).unstarted(() -> LastingThreads.last(this::run));
    }

    public void start() {
        thread.start();
    }

    /** Do it soon. */
    public void ring() {
        lock.lock();
        try {
            if (!rung) {
                rung = true;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Do it once this time has passed, and not only at the interval. */
    public void ringIn(Duration time) {
        lock.lock();
        try {
            moments.add(now().plus(time));
            if (moments.size() > MAX_MOMENTS) {
                moments.removeLast();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends after what is being done. */
    public void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end, if it ever began. */
    public void awaitEnd(Duration limit) {
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
            } catch (Throwable e) {
                LOG.error("{} failed and will be tried again in {}", name, interval, e);
            }
        }
    }

    private boolean awaitTurn() {
        lock.lock();
        try {
            long left = rest.toNanos();
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
            Duration end = now().plus(next);
            next = interval;
            while (!rung && !ended && left(end) > 0) {
                left = changed.awaitNanos(left(end));
            }
            rung = false;
            moments.headSet(now(), true).clear();
            return !ended;
        } catch (InterruptedException e) {
            // Whoever interrupts this has no say in it: only end() ends it.
            return !ended;
        } finally {
            lock.unlock();
        }
    }

    /** Until the end of the interval or the next moment, whichever comes first. */
    private long left(Duration end) {
        Duration soonest = moments.isEmpty() || moments.first().compareTo(end) > 0 ? end : moments.first();
        return soonest.minus(now()).toNanos();
    }

    private Duration now() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
