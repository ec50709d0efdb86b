package dev.tallystick.sql;

import dev.tallystick.sql.DefiniteFailureException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets concurrent callers share commits. Each hands in an item for a {@link Primitive}; whatever has queued while the last batch
 * was committing goes out as one batch in one transaction. A lone caller pays for no company; callers who were answered together
 * are given a fraction of a millisecond to come back together.
 *
 * <p>What holds for every item that was taken:
 *
 * <ul>
 *   <li>Its future completes exactly once: with the answer, only after COMMIT was answered; with
 *       {@link DefiniteFailureException} if nothing happened; with {@link UnknownOutcomeException} if nobody can tell.
 *   <li>An item that cannot be applied fails alone: a batch that definitely failed is split until the culprit is by itself.
 *   <li>After an unknown outcome the batch is looked up by applying its guarded primitives again, never by a plain read, for the
 *       lost COMMIT may still be on its way.
 *   <li>Items with equal order keys keep their order.
 *   <li>It waits for no stranger's lock: an item that is blocked leaves the batch, waits for the lock alone while further batches
 *       go out, and fails with {@link Reason#LOCKED} if the lock is not free within {@link Limits#lockWait()}.
 * </ul>
 *
 * <p>Thread-safe. What depends on a future runs on the committer's thread unless the {@code …Async} forms are used.
 */
public final class GroupCommitter implements AutoCloseable {

    /**
     * How much is batched, queued and waited for.
     *
     * @param queuedBytes so much the queue of a lane carries; a single item may be larger
     */
    public record Limits(
            int lanes, int batch, int queue, long queuedBytes, Duration lockWait, int lookUps, Duration drain) {

        public static final Limits DEFAULT =
                new Limits(1, 500, 10_000, 64L << 20, Duration.ofMillis(500), 5, Duration.ofSeconds(30));

        /** So many batches the queue carries at least, if it is limited by bytes. */
        private static final int BATCHES = 4;

        /** A commit takes less than this; whoever holds a lock for longer may hold it for ever. */
        private static final Duration LOCK_WAIT_IN_COMPANY = Duration.ofMillis(25);

        public Limits {
            if (lanes < 1 || batch < 1 || queue < batch || queuedBytes < 1 || lookUps < 1) {
                throw new IllegalArgumentException(
                        "at least one lane, one item a batch, a queue that holds a batch, and one look-up");
            }
        }

        public Limits withLanes(int number) {
            return new Limits(number, batch, queue, queuedBytes, lockWait, lookUps, drain);
        }

        /** So much a batch carries; a single item may be larger. */
        long batchBytes() {
            return queuedBytes / BATCHES;
        }

        /** So long a batch of several waits for a lock of one of them. */
        Duration lockWaitInCompany() {
            return lockWait.compareTo(LOCK_WAIT_IN_COMPANY) < 0 ? lockWait : LOCK_WAIT_IN_COMPANY;
        }
    }

    /**
     * What has been done so far. A split or a look-up is rare; many of them point to poisoned items or a bad network.
     *
     * @param restarts how often a commit thread died and was replaced: each one points to a bug, and was logged
     */
    public record Counts(long batches, long items, long splits, long lookUps, long restarts) {}

    final LongAdder batches = new LongAdder();
    final LongAdder items = new LongAdder();
    final LongAdder splits = new LongAdder();
    final LongAdder lookUps = new LongAdder();
    final LongAdder restarts = new LongAdder();

    private final List<Lane> lanes = new ArrayList<>();
    private final Duration drain;

    public GroupCommitter(Database database, Limits limits) {
        this.drain = limits.drain();
        for (int i = 0; i < limits.lanes(); i++) {
            lanes.add(new Lane(this, database, limits, i));
        }
        lanes.forEach(Lane::start);
    }

    /**
     * Hands in an item. The future fails with {@link Reason#OVERLOADED} if the queue is full and with {@link Reason#UNAVAILABLE}
     * if the committer is closed; nothing has happened then.
     */
    public <I, O> CompletableFuture<O> submit(Primitive<I, O> primitive, I item) {
        Entry<I, O> entry = new Entry<>(primitive, item);
        laneOf(entry.laneKey()).take(entry);
        return entry.answer();
    }

    public Counts counts() {
        return new Counts(batches.sum(), items.sum(), splits.sum(), lookUps.sum(), restarts.sum());
    }

    /** Takes nothing more, commits what has queued, and returns when that is done or {@link Limits#drain()} has passed. */
    @Override
    public void close() {
        lanes.forEach(Lane::refuseMore);
        long deadline = System.nanoTime() + drain.toNanos();
        for (Lane lane : lanes) {
            lane.awaitDrained(deadline);
        }
    }

    private Lane laneOf(Object laneKey) {
        return lanes.get(Math.floorMod(laneKey.hashCode(), lanes.size()));
    }

    /** One item on its way, and where its answer goes. */
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
