package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.GroupCommitter.Entry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread, one connection, one batch at a time.
 *
 * <p>Invariants: an entry is in the queue, in the current batch, waiting aside for its lock, or answered. Of equal
 * order keys at most one is in a batch, the older one first. While an entry waits aside, entries with its lane key
 * stay in the queue. An exception from an entry fails that entry; any other error ends the session, is logged and counted, and
 * it starts over with a new session.
 */
final class CommitThread {

    private static final Logger LOG = LoggerFactory.getLogger(CommitThread.class);

    /** How far past a full batch to look for entries whose order keys are still free. */
    private static final int LOOK_AHEAD = 4;

    /** After a batch with at least this many callers, the next batch waits for them to return together. */
    private static final int COMPANY = 4;

    /** The longest such wait. Callers who continue at once need a fraction of it, and a commit takes many times as long. */
    private static final long COMPANY_NANOS = 150_000;

    /** How many recently blocked lane keys to remember. */
    private static final int SUSPECTS = 1_000;

    private final GroupCommitter committer;
    private final Database database;
    private final GroupCommitter.Limits limits;
    private final BatchCommitter batches;
    private final WaitingRoom waiting;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Entry<?, ?>> queue = new ArrayDeque<>();
    private boolean closed;

    /** The queue length that wakes the lane. */
    private int wanted = 1;

    /** The number of entries in the last batch. */
    private int answered;

    /** The bytes of the entries in the queue. */
    private long queuedBytes;

    /** How many entries of each lane key wait aside for their locks. */
    private final Map<Object, Integer> aside = new HashMap<>();

    /** Lane keys that were blocked recently: they wait aside at once, so that they no longer delay a batch. */
    private final Set<Object> suspects = new HashSet<>();

    CommitThread(GroupCommitter committer, Database database, GroupCommitter.Limits limits) {
        this.committer = committer;
        this.database = database;
        this.limits = limits;
        this.batches = new BatchCommitter(committer, database, limits, this::setAside);
        this.waiting = new WaitingRoom(committer, database, limits);
        this.thread = Thread.ofPlatform().name("tally-commit").daemon().unstarted(() -> LastingThreads.last(this::run));
    }

    void start() {
        thread.start();
    }

    void take(Entry<?, ?> entry) {
        lock.lock();
        try {
            if (closed) {
                entry.fail(new DefiniteFailureException(Reason.UNAVAILABLE, "the committer is closed", null));
            } else if (queue.size() >= limits.queue()) {
                entry.fail(new DefiniteFailureException(
                        Reason.OVERLOADED, limits.queue() + " items are queued already: try again later", null));
            } else if (!queue.isEmpty() && queuedBytes + entry.bytes() > limits.queuedBytes()) {
                entry.fail(new DefiniteFailureException(
                        Reason.OVERLOADED, queuedBytes + " bytes are queued already: try again later", null));
            } else {
                queue.addLast(entry);
                queuedBytes += entry.bytes();
                if (queue.size() >= wanted) {
                    changed.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    void refuseMore() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the queue is committed; after the deadline, entries that were never sent fail as such. */
    void awaitDrained(long deadlineNanos) {
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadlineNanos - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        failQueued(new DefiniteFailureException(Reason.UNAVAILABLE, "the committer closed before this was sent", null));
    }

    private void run() {
        while (!hasDrained()) {
            committer.restarts.increment();
            LastingThreads.replace();
            database.backoff().pause(1);
        }
        failQueued(new DefiniteFailureException(Reason.UNAVAILABLE, "the committer has stopped", null));
        batches.close();
    }

    /** Commits batches until the lane is closed; false if it died before. Then only its session is lost. */
    private boolean hasDrained() {
        try {
            for (List<Entry<?, ?>> batch = nextBatch(); !batch.isEmpty(); batch = nextBatch()) {
                batches.commit(new Batch(batch));
            }
            return true;
        } catch (Throwable e) {
            LOG.error("{} died and is replaced: please report this", thread.getName(), e);
            batches.close();
            return false;
        }
    }

    /** The next batch; empty once the lane is closed and all its entries are answered. */
    private List<Entry<?, ?>> nextBatch() {
        lock.lock();
        try {
            if (answered >= COMPANY) {
                awaitCompany();
            }
            List<Entry<?, ?>> batch = taken();
            while (batch.isEmpty() && !(closed && queue.isEmpty() && aside.isEmpty())) {
                changed.awaitUninterruptibly();
                batch = taken();
            }
            answered = batch.size();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Takes entries from the queue that may share a batch. Recently blocked ones wait aside for their lock. */
    private List<Entry<?, ?>> taken() {
        List<Entry<?, ?>> batch = new ArrayList<>(Math.min(queue.size(), limits.batch()));
        Set<Object> passed = new HashSet<>();
        long bytes = 0;
        Iterator<Entry<?, ?>> entries = queue.iterator();
        for (int seen = 0; entries.hasNext() && batch.size() < limits.batch() && seen < farthest(); seen++) {
            Entry<?, ?> entry = entries.next();
            bytes += entry.bytes();
            if (!batch.isEmpty() && bytes > limits.batchBytes()) {
                break;
            }
            if (!aside.containsKey(entry.laneKey()) && passed.add(entry.orderKey())) {
                entries.remove();
                queuedBytes -= entry.bytes();
                if (suspects.contains(entry.laneKey())) {
                    setAside(entry);
                } else {
                    batch.add(entry);
                }
            }
        }
        return batch;
    }

    /**
     * Callers who were just answered usually return at once, with the next step or the next job. Without this wait they split
     * into two halves that take turns and need twice as many batches.
     */
    private void awaitCompany() {
        wanted = Math.min(limits.batch(), queue.size() + answered);
        try {
            long left = COMPANY_NANOS;
            while (queue.size() < wanted && left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            wanted = 1;
        }
    }

    private int farthest() {
        return LOOK_AHEAD * limits.batch();
    }

    /** Lets the blocked entry wait for its lock elsewhere. Later entries of its lane key wait until it is back. */
    private void setAside(Entry<?, ?> entry) {
        lock.lock();
        try {
            aside.merge(entry.laneKey(), 1, Integer::sum);
        } finally {
            lock.unlock();
        }
        waiting.take(entry, wasFree -> comesBack(entry, wasFree));
    }

    private void comesBack(Entry<?, ?> entry, boolean wasFree) {
        lock.lock();
        try {
            aside.computeIfPresent(entry.laneKey(), (key, number) -> number == 1 ? null : number - 1);
            if (wasFree || suspects.size() >= SUSPECTS) {
                suspects.remove(entry.laneKey());
            } else {
                suspects.add(entry.laneKey());
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void failQueued(DefiniteFailureException failure) {
        lock.lock();
        try {
            queue.forEach(entry -> entry.fail(failure));
            queue.clear();
            queuedBytes = 0;
        } finally {
            lock.unlock();
        }
    }
}
