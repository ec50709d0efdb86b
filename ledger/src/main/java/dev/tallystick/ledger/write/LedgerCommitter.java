package dev.tallystick.ledger.write;

import dev.tallystick.ledger.git.Threads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One thread that commits everything queued while it was busy as one commit. A single writer gets its own commit at once;
 * sixty-four share one. Only this thread forces an append to disk, never a caller's: interrupting a caller's thread would
 * close the files in use.
 *
 * <p>Writers that were answered together are likely to come back together. Without a pause they would split into two groups
 * that take turns, each paying for all the forces; so after a batch of several writes, the next one waits for as many,
 * for at most {@link #GATHERING}.
 */
public final class LedgerCommitter implements AutoCloseable {

    static final int QUEUE = 10_000;
    static final int LARGEST_BATCH = 1_000;
    static final long LARGEST_BATCH_BYTES = 32L << 20;
    static final Duration GATHERING = Duration.ofMillis(1);

    private final BatchWriter writer;
    private final Thread thread;
    private final ReentrantLock monitor = new ReentrantLock();
    private final Condition changed = monitor.newCondition();
    private final Deque<Pending> queue = new ArrayDeque<>();
    private int lastBatch = 1;
    private int awaited = 1;
    private boolean closed;

    public LedgerCommitter(BatchWriter writer) {
        this.writer = writer;
        this.thread = Thread.ofPlatform().name("ledger-committer").daemon().start(this::run);
    }

    /** Queues a write; its verdict arrives when its batch is done. */
    void submit(Pending pending) {
        String refused;
        monitor.lock();
        try {
            if (!closed && queue.size() < QUEUE) {
                queue.add(pending);
                if (queue.size() >= awaited) {
                    changed.signal();
                }
                return;
            }
            refused = closed ? "the ledger is closed" : QUEUE + " writes are already waiting";
        } finally {
            monitor.unlock();
        }
        pending.verdict().complete(new Pending.Verdict.Refused(refused));
    }

    /** Finishes what is queued, then stops. */
    @Override
    public void close() {
        monitor.lock();
        try {
            closed = true;
            changed.signal();
        } finally {
            monitor.unlock();
        }
        Threads.join(thread);
    }

    private void run() {
        List<Pending> batch = List.of();
        try {
            batch = take();
            while (!batch.isEmpty()) {
                writer.write(batch);
                batch = take();
            }
        } finally {
            // Empty unless an error ended the loop; then no caller may wait forever.
            abandon(batch);
        }
    }

    /** The current batch has an unknown outcome; queued writes were not begun. */
    private void abandon(List<Pending> batch) {
        List<Pending> waiting;
        monitor.lock();
        try {
            closed = true;
            waiting = List.copyOf(queue);
            queue.clear();
        } finally {
            monitor.unlock();
        }
        String reason = "the ledger stopped because of an error";
        batch.forEach(pending -> pending.verdict().complete(new Pending.Verdict.Unknown(reason)));
        waiting.forEach(pending -> pending.verdict().complete(new Pending.Verdict.Refused(reason)));
    }

    /** Waits until writes are queued and returns them; empty once closed. */
    private List<Pending> take() {
        monitor.lock();
        try {
            int writers = lastBatch == 1 ? 1 : Math.min(lastBatch + queue.size(), LARGEST_BATCH);
            awaited = 1;
            while (queue.isEmpty() && !closed) {
                changed.awaitUninterruptibly();
            }
            gather(writers);
            List<Pending> batch = new ArrayList<>();
            long bytes = 0;
            while (!queue.isEmpty() && batch.size() < LARGEST_BATCH && bytes < LARGEST_BATCH_BYTES) {
                Pending next = queue.remove();
                batch.add(next);
                bytes += next.size();
            }
            lastBatch = batch.size();
            return batch;
        } finally {
            monitor.unlock();
        }
    }

    private void gather(int writers) {
        awaited = writers;
        long rest = GATHERING.toNanos();
        try {
            while (queue.size() < writers && rest > 0 && !closed) {
                rest = changed.awaitNanos(rest);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("the committer's thread was interrupted", e);
        }
    }
}
