package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.GroupCommitter.Entry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One thread, one connection, one batch at a time.
 *
 * <p>Invariants: an entry is in the queue, or in the batch that is under way, or answered. Equal order keys meet in the same
 * lane, at most one of them in a batch, the older one first.
 */
final class Lane {

    /** How far past a full batch to look for entries whose order keys are still free. */
    private static final int LOOK_AHEAD = 4;

    /** From how many callers on who were answered together the next batch waits for them to come back together. */
    private static final int COMPANY = 4;

    /** How long at most. Callers who go on at once take a fraction of it, and a commit takes many times as long. */
    private static final long COMPANY_NANOS = 150_000;

    private final GroupCommitter committer;
    private final Database database;
    private final GroupCommitter.Limits limits;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Entry<?, ?>> queue = new ArrayDeque<>();
    private boolean closed;

    /** How long the queue must be to wake the lane. */
    private int wanted = 1;

    /** How many entries the last batch had. */
    private int answered;

    private @Nullable BatchSession session;

    Lane(GroupCommitter committer, Database database, GroupCommitter.Limits limits, int number) {
        this.committer = committer;
        this.database = database;
        this.limits = limits;
        this.thread =
                Thread.ofPlatform().name("tally-commit-" + number).daemon().unstarted(this::run);
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
            } else {
                queue.addLast(entry);
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

    /** Waits until the queue is committed; past the deadline, entries that were never sent are given back as such. */
    void awaitDrained(long deadlineNanos) {
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadlineNanos - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        failQueued(new DefiniteFailureException(Reason.UNAVAILABLE, "the committer closed before this was sent", null));
    }

    private void run() {
        try {
            for (List<Entry<?, ?>> batch = nextBatch(); !batch.isEmpty(); batch = nextBatch()) {
                commit(new Batch(batch));
            }
        } finally {
            refuseMore();
            failQueued(new DefiniteFailureException(Reason.UNAVAILABLE, "the committer has stopped", null));
            endSession();
        }
    }

    /** What goes out next; empty once the lane is closed and the queue is. */
    private List<Entry<?, ?>> nextBatch() {
        lock.lock();
        try {
            if (answered >= COMPANY) {
                awaitCompany();
            }
            while (queue.isEmpty() && !closed) {
                changed.awaitUninterruptibly();
            }
            List<Entry<?, ?>> batch = new ArrayList<>(Math.min(queue.size(), limits.batch()));
            Set<Object> passed = new HashSet<>();
            Iterator<Entry<?, ?>> entries = queue.iterator();
            for (int seen = 0; entries.hasNext() && batch.size() < limits.batch() && seen < farthest(); seen++) {
                Entry<?, ?> entry = entries.next();
                if (passed.add(entry.orderKey())) {
                    batch.add(entry);
                    entries.remove();
                }
            }
            answered = batch.size();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Who was just answered mostly comes back at once, with the next step or the next job. Without a moment for that the callers
     * fall apart into two halves that take turns, and pay for twice as many batches.
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

    /** Nobody is left without an answer, also if this thread dies of something in the middle of it. */
    private void commit(Batch batch) {
        try {
            settle(batch);
        } catch (VirtualMachineError e) {
            // No memory for one batch is no end for the others.
            batch.fail(new UnknownOutcomeException("the JVM failed in the middle of a batch", e));
            endSession();
        } catch (Error e) {
            batch.fail(new UnknownOutcomeException("the committer died in the middle of a batch", e));
            throw e;
        }
    }

    private void settle(Batch batch) {
        try {
            attempt(batch).forEach(unanswered -> commit(Batch.alone(unanswered)));
        } catch (UnknownOutcomeException e) {
            lookUp(batch, e);
        } catch (RuntimeException e) {
            if (batch.size() > 1 && blamesAnItem(e)) {
                split(batch);
            } else if (!batch.isAlone() && isRefused(e)) {
                commit(batch.alone());
            } else {
                batch.fail(e);
            }
        }
    }

    /** Nothing of the batch happened, and one of its entries is why. */
    private void split(Batch batch) {
        committer.splits.increment();
        batch.halves().forEach(this::commit);
    }

    /**
     * Applies the guarded batch again until an answer comes. A definite failure is no answer here: it speaks of this attempt,
     * while the one before may have committed.
     */
    private void lookUp(Batch batch, UnknownOutcomeException unknown) {
        RuntimeException last = unknown;
        for (int attempt = 1; attempt <= limits.lookUps(); attempt++) {
            committer.lookUps.increment();
            database.backoff().pause(attempt);
            try {
                attempt(batch.again()).forEach(unanswered -> lookUp(Batch.alone(unanswered), unknown));
                return;
            } catch (RuntimeException e) {
                last = e;
            }
        }
        if (batch.size() > 1 && blamesAnItem(last)) {
            batch.halves().forEach(half -> lookUp(half, unknown));
        } else {
            batch.fail(unknown);
        }
    }

    private static boolean blamesAnItem(RuntimeException failure) {
        return switch (failure) {
            case UnknownOutcomeException e -> false;
            case DefiniteFailureException e -> e.reason() != Reason.UNAVAILABLE && e.reason() != Reason.DISK_FULL;
            default -> true;
        };
    }

    /** What was tried in company may be refused for what only company does: a row that came in between, for one. */
    private static boolean isRefused(RuntimeException failure) {
        return failure instanceof DefiniteFailureException definite && definite.reason() == Reason.REFUSED;
    }

    /** Returns what has to go alone; everything else is answered. */
    private List<Entry<?, ?>> attempt(Batch batch) {
        List<List<?>> answers;
        try {
            answers = withRepeats(batch);
        } catch (UnknownOutcomeException e) {
            endSession();
            throw e;
        } catch (DefiniteFailureException e) {
            if (e.reason() == Reason.UNAVAILABLE) {
                endSession();
            }
            throw e;
        }
        committer.batches.increment();
        committer.items.add(batch.size());
        return batch.answer(answers);
    }

    private List<List<?>> withRepeats(Batch batch) {
        for (int attempt = 1; ; attempt++) {
            try {
                BatchSession open = session();
                return database.transactOn(open.connection(), batch.name(), tx -> {
                    open.expect(tx, batch.size());
                    return batch.apply(tx);
                });
            } catch (DefiniteFailureException e) {
                if (e.reason() != Reason.CONFLICT || attempt == Database.MAX_ATTEMPTS) {
                    throw e;
                }
                database.backoff().pause(attempt);
            }
        }
    }

    private BatchSession session() {
        if (session == null) {
            Connection opened = database.connect("the group committer");
            try {
                session = BatchSession.begin(opened, limits);
            } catch (SQLException e) {
                Database.giveBack(opened);
                throw new DefiniteFailureException(Reason.UNAVAILABLE, "the connection broke at once", e);
            }
        }
        return session;
    }

    private void endSession() {
        if (session != null) {
            Connection connection = session.connection();
            try {
                // Turning auto-commit on would commit what a batch that died has left open.
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
                connection.setAutoCommit(true);
                session.end();
            } catch (SQLException e) {
                Database.discard(connection);
            }
            Database.giveBack(connection);
            session = null;
        }
    }

    private void failQueued(DefiniteFailureException failure) {
        lock.lock();
        try {
            queue.forEach(entry -> entry.fail(failure));
            queue.clear();
        } finally {
            lock.unlock();
        }
    }
}
