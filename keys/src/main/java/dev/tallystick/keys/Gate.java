package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache and waiting room in front of one door of the key ledger. It saves the database most repeats, and lets
 * repeats wait for the answer while the original is in flight.
 *
 * <p>It decides nothing: everything in the cache was read from the key ledger. A request that is not in the cache is admitted,
 * and asks the key ledger.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>A key is pending, or remembered, or neither; never both.
 *   <li>Of the requests under one key at most one is admitted at a time, as long as it ends within its time to live.
 *   <li>Waiting requests are woken when the pending request ends, however it ends.
 *   <li>There are never more entries than the limit. Pending requests are never evicted: a gate that is full of them turns new
 *       requests away.
 * </ul>
 *
 * <p>Each operation takes constant time, apart from {@link #cleanUp}. Thread-safe.
 *
 * @param <A> the type of answers
 */
public final class Gate<A> {

    private final GateSettings settings;
    private final InstantSource clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ScopedKey, Pending<A>> pending = new HashMap<>();
    /** In the order of last use, so that the first is evicted first. */
    private final LinkedHashMap<ScopedKey, Remembered<A>> remembered = new LinkedHashMap<>(16, 0.75f, true);

    public Gate(GateSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** The gate's answer to a request. */
    public sealed interface Entrance<A> {

        /** Proceed, ask the key ledger, and report the result through the pass. */
        record Admitted<A>(Pass<A> pass) implements Entrance<A> {}

        /** The same request has this answer. */
        record Answered<A>(A answer) implements Entrance<A> {}

        /** The key is committed to a different request. */
        record Reused<A>(Fingerprint bound) implements Entrance<A> {}

        /** A request under the same key is in flight, and did not end while this one waited. */
        record InProgress<A>(UUID original, Duration retryAfter) implements Entrance<A> {}

        /** The gate is full of requests in flight. */
        record Full<A>(Duration retryAfter) implements Entrance<A> {}
    }

    private record Remembered<A>(Fingerprint fingerprint, A answer, boolean committed, Instant until) {}

    /**
     * One request in flight, and the requests that wait for it. They are woken with its answer, or with nothing: then they ask
     * again.
     */
    private record Pending<A>(UUID original, Fingerprint fingerprint, Instant until, CompletableFuture<Told<A>> end) {}

    private record Told<A>(@Nullable A answer) {}

    /**
     * Enters the gate with a request, and waits if the same key is pending.
     *
     * @param original the id that this request will create, reported to repeats while it is in flight
     */
    public Entrance<A> enter(ScopedKey key, Fingerprint fingerprint, UUID original) throws InterruptedException {
        long deadline = System.nanoTime() + settings.pendingWait().toNanos();
        while (true) {
            Attempt<A> attempt = attempt(key, fingerprint, original);
            Pending<A> other = attempt.other;
            if (other == null) {
                return attempt.entrance;
            }
            Told<A> told = awaitEnd(other, deadline);
            if (told == null) {
                return attempt.entrance;
            }
            if (told.answer != null && other.fingerprint.equals(fingerprint)) {
                return new Entrance.Answered<>(told.answer);
            }
        }
    }

    /** As {@link #enter}, without waiting: for a caller that holds other passes, which others may be waiting for. */
    public Entrance<A> tryEnter(ScopedKey key, Fingerprint fingerprint, UUID original) {
        return attempt(key, fingerprint, original).entrance;
    }

    /** @param other the pending request that stands in the way, or null */
    private record Attempt<A>(
            Entrance<A> entrance, @Nullable Pending<A> other) {}

    private Attempt<A> attempt(ScopedKey key, Fingerprint fingerprint, UUID original) {
        Instant now = clock.instant();
        lock.lock();
        try {
            Entrance<A> known = recall(key, fingerprint, now);
            if (known != null) {
                return new Attempt<>(known, null);
            }
            Pending<A> other = pendingAt(key, now);
            return other == null
                    ? new Attempt<>(admit(key, fingerprint, original, now), null)
                    : new Attempt<>(new Entrance.InProgress<>(other.original, retryAfter()), other);
        } finally {
            lock.unlock();
        }
    }

    /** Removes expired entries. Call this every {@link GateSettings#cleanupInterval()}. */
    public void cleanUp() {
        Instant now = clock.instant();
        lock.lock();
        try {
            remembered.values().removeIf(entry -> !now.isBefore(entry.until));
            Iterator<Pending<A>> each = pending.values().iterator();
            while (each.hasNext()) {
                Pending<A> one = each.next();
                if (!now.isBefore(one.until)) {
                    each.remove();
                    one.end.complete(new Told<>(null));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The number of entries. */
    public record Counts(int pending, int remembered) {}

    public Counts counts() {
        lock.lock();
        try {
            return new Counts(pending.size(), remembered.size());
        } finally {
            lock.unlock();
        }
    }

    /** How many requests wait for the pending request under a key. */
    int waiting(ScopedKey key) {
        lock.lock();
        try {
            Pending<A> entry = pending.get(key);
            return entry == null ? 0 : entry.end.getNumberOfDependents();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The obligation to report the result of an admitted request. Of the four ways to do so the first counts; use
     * {@link #close} if the result is not known.
     */
    public static final class Pass<A> implements AutoCloseable {

        private final Gate<A> gate;
        private final ScopedKey key;
        private final Pending<A> mine;

        private Pass(Gate<A> gate, ScopedKey key, Pending<A> mine) {
            this.gate = gate;
            this.key = key;
            this.mine = mine;
        }

        /**
         * The key ledger says that the key is committed.
         *
         * @param bound the request behind the key: if it differs, waiting requests learn so
         */
        public void committed(Fingerprint bound, A answer) {
            gate.settle(this, new Remembered<>(bound, answer, true, gate.until(gate.settings.committedTtl())), null);
        }

        /** The request is rejected, and would be again: repeats get this answer for a while. */
        public void rejected(A answer) {
            gate.settle(
                    this,
                    new Remembered<>(mine.fingerprint, answer, false, gate.until(gate.settings.rejectedTtl())),
                    answer);
        }

        /** Waiting requests get the same answer; later ones do not. */
        public void shared(A answer) {
            gate.settle(this, null, answer);
        }

        /** Nothing is known. One of the waiting requests is admitted instead. */
        @Override
        public void close() {
            gate.settle(this, null, null);
        }
    }

    private @Nullable Entrance<A> recall(ScopedKey key, Fingerprint fingerprint, Instant now) {
        Remembered<A> entry = remembered.get(key);
        if (entry == null) {
            return null;
        }
        boolean same = entry.fingerprint.equals(fingerprint);
        if (!now.isBefore(entry.until) || (!same && !entry.committed)) {
            remembered.remove(key);
            return null;
        }
        return same ? new Entrance.Answered<>(entry.answer) : new Entrance.Reused<>(entry.fingerprint);
    }

    private @Nullable Pending<A> pendingAt(ScopedKey key, Instant now) {
        Pending<A> entry = pending.get(key);
        if (entry != null && !now.isBefore(entry.until)) {
            pending.remove(key);
            entry.end.complete(new Told<>(null));
            return null;
        }
        return entry;
    }

    private Entrance<A> admit(ScopedKey key, Fingerprint fingerprint, UUID original, Instant now) {
        if (pending.size() + remembered.size() >= settings.maxEntries()) {
            if (remembered.isEmpty()) {
                return new Entrance.Full<>(retryAfter());
            }
            remembered.pollFirstEntry();
        }
        Pending<A> mine =
                new Pending<>(original, fingerprint, now.plus(settings.pendingTtl()), new CompletableFuture<>());
        pending.put(key, mine);
        return new Entrance.Admitted<>(new Pass<>(this, key, mine));
    }

    /** Null if there is nothing to wait for, or no time left. */
    private @Nullable Told<A> awaitEnd(Pending<A> other, long deadline) throws InterruptedException {
        if (!settings.waitForPending()) {
            return null;
        }
        try {
            return other.end.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a pending request never ends with a failure", e);
        }
    }

    /** An expired pass no longer counts: another request may be pending under its key. */
    private void settle(Pass<A> pass, @Nullable Remembered<A> entry, @Nullable A answer) {
        lock.lock();
        try {
            if (pending.remove(pass.key, pass.mine)) {
                if (entry != null) {
                    remembered.put(pass.key, entry);
                }
                pass.mine.end.complete(new Told<>(answer));
            }
        } finally {
            lock.unlock();
        }
    }

    private Instant until(Duration ttl) {
        return clock.instant().plus(ttl);
    }

    private Duration retryAfter() {
        return Duration.ofSeconds(1);
    }
}
