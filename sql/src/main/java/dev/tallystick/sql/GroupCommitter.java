package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets concurrent callers share commits. Each submits an item for a {@link Primitive}; all items that queue while the last
 * batch commits go out as one batch in one transaction. A single caller is not delayed; callers who were answered together get
 * a fraction of a millisecond to return together.
 *
 * <p>Guarantees for every accepted item:
 *
 * <ul>
 *   <li>Its future completes exactly once: with the answer, only after COMMIT was confirmed; with
 *       {@link DefiniteFailureException} if nothing happened; with {@link UnknownOutcomeException} if it is unknown whether it
 *       committed.
 *   <li>An item that cannot be applied fails alone: a batch that definitely failed is split until the failing item is by
 *       itself.
 *   <li>After an unknown outcome the committer finds the answer by applying the guarded primitives of the batch again, never
 *       by a plain read, because the lost COMMIT may still be in flight.
 *   <li>Items with equal order keys keep their order.
 *   <li>It does not wait for foreign locks: a blocked item leaves the batch, waits for the lock alone while further batches go
 *       out, and fails with {@link Reason#LOCKED} if the lock is not free within {@link Limits#lockWait()}.
 * </ul>
 *
 * <p>Thread-safe. Stages that depend on a future run on the committer's thread unless you use the {@code …Async} forms.
 */
public final class GroupCommitter implements AutoCloseable {

    /**
     * The limits for batches, queues and waits.
     *
     * @param queuedBytes the capacity of the queue; a single item may be larger
     */
    public record Limits(int batch, int queue, long queuedBytes, Duration lockWait, int lookUps, Duration drain) {

        public static final Limits DEFAULT =
                new Limits(500, 10_000, 64L << 20, Duration.ofMillis(500), 5, Duration.ofSeconds(30));

        /** The minimum number of batches that fit into the queue, if it is limited by bytes. */
        private static final int BATCHES = 4;

        /** A commit takes less than this; a holder that keeps a lock for longer may keep it for ever. */
        private static final Duration LOCK_WAIT_IN_COMPANY = Duration.ofMillis(25);

        public Limits {
            if (batch < 1 || queue < batch || queuedBytes < 1 || lookUps < 1) {
                throw new IllegalArgumentException(
                        "need at least one item per batch, a queue that holds a batch, and one look-up");
            }
        }

        /** The capacity of a batch; a single item may be larger. */
        long batchBytes() {
            return queuedBytes / BATCHES;
        }

        /** How long a shared batch waits for a lock that one item needs. */
        Duration lockWaitInCompany() {
            return lockWait.compareTo(LOCK_WAIT_IN_COMPANY) < 0 ? lockWait : LOCK_WAIT_IN_COMPANY;
        }
    }

    /**
     * Counters since the start. Splits and look-ups are rare; many of them indicate poisoned items or a bad network.
     *
     * @param restarts how often a commit thread died and was replaced: each one indicates a bug, and was logged
     */
    public record Counts(long batches, long items, long splits, long lookUps, long restarts) {}

    final LongAdder batches = new LongAdder();
    final LongAdder items = new LongAdder();
    final LongAdder splits = new LongAdder();
    final LongAdder lookUps = new LongAdder();
    final LongAdder restarts = new LongAdder();

    private final CommitThread commitThread;
    private final Duration drain;

    public GroupCommitter(Database database, Limits limits) {
        this.drain = limits.drain();
        this.commitThread = new CommitThread(this, database, limits);
        commitThread.start();
    }

    /**
     * Submits an item. The future fails with {@link Reason#OVERLOADED} if the queue is full and with
     * {@link Reason#UNAVAILABLE} if the committer is closed; in both cases nothing has happened.
     */
    public <I, O> CompletableFuture<O> submit(Primitive<I, O> primitive, I item) {
        Entry<I, O> entry = new Entry<>(primitive, item);
        commitThread.take(entry);
        return entry.answer();
    }

    public Counts counts() {
        return new Counts(batches.sum(), items.sum(), splits.sum(), lookUps.sum(), restarts.sum());
    }

    /** Accepts nothing more, commits the queue, and returns when that is done or {@link Limits#drain()} has passed. */
    @Override
    public void close() {
        commitThread.refuseMore();
        commitThread.awaitDrained(System.nanoTime() + drain.toNanos());
    }

    /** One item in flight, with the future for its answer. */
    record Entry<I, O>(
            Primitive<I, O> primitive,
            I item,
            Object orderKey,
            Object laneKey,
            long bytes,
            CompletableFuture<O> answer) {

        Entry(Primitive<I, O> primitive, I item) {
            this(
                    primitive,
                    item,
                    primitive.orderKey(item),
                    primitive.laneKey(item),
                    primitive.bytes(item),
                    new CompletableFuture<>());
        }

        void fail(Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }
}
