package dev.tallystick.sql;

import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats one task: when it is signalled, at scheduled times, and otherwise at an interval. A signal during a run is not lost.
 * A failed run, for example because the database is down, is logged, and the next one follows all the same: nothing else would
 * restart the loop.
 */
public final class Loop {

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final String name;
    private final Duration interval;
    private final Duration rest;
    private final Runnable task;
    private final Thread thread;

    /** How many scheduled times to remember, the nearest first; the interval catches the others. */
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

    /** @param rest the minimum pause between two runs: signals that arrive close together share a run */
    public Loop(String name, Duration interval, Duration rest, Runnable task) {
        this(name, interval, interval, rest, task);
    }

    /** A loop that does not wait a whole interval before its first run. */
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

    /** Runs the task soon. */
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

    /** Runs the task after this time, and not only at the interval. */
    public void ringIn(Duration time) {
        lock.lock();
        try {
            Duration moment = now().plus(time);
            moments.add(moment);
            if (moments.size() > MAX_MOMENTS) {
                moments.removeLast();
            }
            if (moment.equals(moments.getFirst())) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Stops after the current run. */
    public void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end, if the loop ever began. */
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
                LOG.warn("{} failed; next attempt in {}", name, interval, e);
            } catch (Throwable e) {
                LOG.error("{} failed; next attempt in {}", name, interval, e);
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
            // An interrupt does not end it: only end() does.
            return !ended;
        } finally {
            lock.unlock();
        }
    }

    /** Until the end of the interval or the next scheduled time, whichever comes first. */
    private long left(Duration end) {
        Duration soonest = moments.isEmpty() || moments.first().compareTo(end) > 0 ? end : moments.first();
        return soonest.minus(now()).toNanos();
    }

    private Duration now() {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
