package dev.tallystick.daemon.delivery;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Destination;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.Settlement;
import dev.tallystick.daemon.storage.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the rows of one destination. To topics, members and queues they go in their order, one request at a time; jobs go in
 * any order.
 *
 * <p>Rows whose attempt failed stay in flight on disk and are sent again from memory, so that a failed round costs no write.
 * They are released when the courier pauses or stops, or when an operator wants one of them. One thread at a time works on a
 * lane, and others let it be.
 */
final class Lane {

    /** After so many rounds another lane has its turn. */
    private static final int MOST_ROUNDS = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /** What the lanes of a courier share. */
    record Shared(
            Outbox outbox,
            Upstream upstream,
            CourierSettings settings,
            Road road,
            InstantSource clock,
            RandomGenerator random,
            CrashPoints crashPoints,
            DeliveryListener listener) {}

    /** What a lane needs of its courier. */
    interface Road {

        boolean isOpen();

        /** How long a row may be repeated. */
        Duration maximumAge();

        /** The largest request that the server takes. */
        int requestBytes();

        /** Whether there is room to keep rows in memory for their next attempt. */
        boolean mayRestWithRows();

        /** A connection broke. */
        void doubt();

        /** There is no connection. */
        void lost(String why);

        void pause(String code, String why);

        void delivered(int rows);
    }

    /** A row that this lane has in flight. */
    private static final class Held {

        final OutboxRow row;
        int attempts;

        @Nullable
        Instant firstAttemptAt;

        Held(OutboxRow row) {
            this.row = row;
            this.attempts = row.attempts();
            this.firstAttemptAt = row.firstAttemptAt();
        }
    }

    private final String destination;
    private final boolean isParallel;
    private final Shared shared;
    private final List<Held> held = new ArrayList<>();

    /** Outcomes that could not be written yet. */
    private final List<Settlement> unwritten = new ArrayList<>();

    private final ReentrantLock lock = new ReentrantLock();
    private int failures;

    /** By {@link System#nanoTime()}, which no one sets. */
    private volatile long restUntil = System.nanoTime();

    Lane(String destination, Shared shared) {
        this.destination = destination;
        this.isParallel = destination.startsWith(Destination.Kind.WORKFLOW.word() + ":");
        this.shared = shared;
    }

    String destination() {
        return destination;
    }

    /** How long it still rests; zero or less if it need not. */
    Duration rest() {
        return Duration.ofNanos(restUntil - System.nanoTime());
    }

    /** Whether there is nothing to remember about it. */
    boolean isEmpty() {
        lock.lock();
        try {
            return held.isEmpty() && unwritten.isEmpty() && failures == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Sends until the destination has no more rows, until it must rest, or until it has had its turn. */
    void work() {
        lock.lock();
        try {
            for (int round = 0; round < MOST_ROUNDS && shared.road().isOpen(); round++) {
                if (!write() || (held.isEmpty() && !take()) || !send()) {
                    return;
                }
            }
        } catch (StorageException e) {
            rest(e.getMessage(), Duration.ZERO);
        } catch (RuntimeException e) {
            LOG.error("sending to {} failed unexpectedly", destination, e);
            rest("internal error", Duration.ZERO);
        } finally {
            lock.unlock();
        }
    }

    /** Lets go of all rows, unless a thread works on them: they wait in the outbox as if nothing had them. */
    void release(String why) {
        if (lock.tryLock()) {
            try {
                releaseHeld(why, shared.clock().instant());
                boolean unused = write();
            } finally {
                lock.unlock();
            }
        }
    }

    /** As {@link #release(String)}, if it holds this row. Whether it did. */
    boolean releaseIfHeld(String row, String why) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            boolean isHeld = held.stream().anyMatch(each -> each.row.id().equals(row));
            if (isHeld) {
                release(why);
            }
            return isHeld;
        } finally {
            lock.unlock();
        }
    }

    private void releaseHeld(String why, Instant nextAttemptAt) {
        for (Held each : held) {
            unwritten.add(new Settlement.Released(each.row, each.attempts, each.firstAttemptAt, nextAttemptAt, why));
        }
        held.clear();
    }

    /** Records the outcomes. If that fails they stay here: sending the rows again would only repeat them. */
    private boolean write() {
        if (unwritten.isEmpty()) {
            return true;
        }
        try {
            shared.outbox().settle(unwritten);
        } catch (StorageException e) {
            LOG.warn("cannot record the outcome of {} sends to {}: {}", unwritten.size(), destination, e.getMessage());
            rest(e.getMessage(), Duration.ZERO);
            return false;
        }
        for (Settlement each : unwritten) {
            if (each instanceof Settlement.Dead dead) {
                LOG.warn("{} to {} is dead: {}", dead.row().key(), destination, dead.error());
                shared.listener().dead(dead.row(), dead.error());
            }
        }
        shared.road().delivered((int) unwritten.stream()
                .filter(Settlement.Delivered.class::isInstance)
                .count());
        unwritten.clear();
        return true;
    }

    private boolean take() {
        List<OutboxRow> rows = shared.outbox()
                .take(
                        destination,
                        isParallel,
                        shared.settings().batch(),
                        shared.road().requestBytes());
        for (OutboxRow row : rows) {
            held.add(new Held(row));
        }
        if (rows.isEmpty()) {
            failures = 0;
            // Jobs that wait here are not due.
            restUntil = System.nanoTime()
                    + (isParallel ? shared.settings().backoff().first().toNanos() : 0);
        }
        return !rows.isEmpty();
    }

    /** Whether the lane may continue at once. */
    private boolean send() {
        bury();
        if (held.isEmpty()) {
            return true;
        }
        List<OutboxRow> rows = held.stream().map(each -> each.row).toList();
        Instant began = shared.clock().instant();
        shared.crashPoints().reached(DeliveryCrashPoint.BEFORE_SEND);
        List<SendOutcome> outcomes = shared.upstream().send(rows);
        shared.crashPoints().reached(DeliveryCrashPoint.ANSWERED);
        return judge(outcomes, began);
    }

    /** Rows that must not be sent: damaged ones, and those whose repeat the server may no longer recognise. */
    private void bury() {
        Instant oldest = shared.clock().instant().minus(shared.road().maximumAge());
        held.removeIf(each -> {
            if (each.row.isDamaged() || each.row.content() == null) {
                unwritten.add(new Settlement.Dead(
                        each.row, each.attempts, "row_damaged: the file of the outbox was damaged; this was not sent"));
                return true;
            }
            if (each.firstAttemptAt != null && each.firstAttemptAt.isBefore(oldest)) {
                unwritten.add(new Settlement.Dead(
                        each.row,
                        each.attempts,
                        OutboxRow.OUTCOME_UNKNOWN + ": the first attempt was at " + each.firstAttemptAt
                                + ", and the server may have forgotten its key by now"));
                return true;
            }
            return false;
        });
    }

    private boolean judge(List<SendOutcome> outcomes, Instant began) {
        List<Held> left = new ArrayList<>();
        Verdict.@Nullable Pause pause = null;
        String lost = null;
        String error = "";
        Duration rest = Duration.ZERO;
        int settled = unwritten.size();
        for (int i = 0; i < held.size(); i++) {
            Held each = held.get(i);
            SendOutcome outcome = outcomes.get(i);
            each.attempts++;
            switch (Verdict.of(outcome, each.firstAttemptAt != null)) {
                case Verdict.Done done ->
                    unwritten.add(
                            new Settlement.Delivered(each.row, each.attempts, done.messageId(), done.historyId()));
                case Verdict.Die die -> unwritten.add(new Settlement.Dead(each.row, each.attempts, die.error()));
                case Verdict.TryAgain again -> {
                    left.add(each);
                    error = again.error();
                }
                case Verdict.Pause wanted -> {
                    left.add(each);
                    pause = wanted;
                }
            }
            if (outcome instanceof SendOutcome.NotNow notNow) {
                if (notNow.mayHaveHappened()) {
                    each.firstAttemptAt = each.firstAttemptAt == null ? began : each.firstAttemptAt;
                    shared.road().doubt();
                }
                rest = notNow.rest().compareTo(rest) > 0 ? notNow.rest() : rest;
                lost = notNow.isConnected() ? lost : notNow.detail();
            }
        }
        boolean hasProgressed = unwritten.size() > settled;
        held.clear();
        held.addAll(left);
        if (pause != null) {
            shared.road().pause(pause.code().word(), pause.detail());
            release(pause.code().word() + ": " + pause.detail());
            return false;
        }
        if (lost != null) {
            shared.road().lost(lost);
        }
        if (left.isEmpty()) {
            failures = 0;
            return write();
        }
        if (hasProgressed) {
            failures = 0;
        }
        rest(error, rest);
        if (isParallel && hasProgressed) {
            // Jobs that cannot be accepted now do not keep the others from being sent.
            releaseHeld(error, shared.clock().instant().plus(rest()));
            restUntil = System.nanoTime();
        } else if (!shared.road().mayRestWithRows()) {
            releaseHeld(error, shared.clock().instant().plus(rest()));
        }
        boolean unused = write();
        return false;
    }

    private void rest(@Nullable String why, Duration atLeast) {
        failures++;
        Duration pause = shared.settings().backoff().pause(failures, shared.random());
        Duration asked = atLeast.compareTo(Outbox.LONGEST_REST) > 0 ? Outbox.LONGEST_REST : atLeast;
        Duration rest = pause.compareTo(asked) > 0 ? pause : asked;
        restUntil = System.nanoTime() + rest.toNanos();
        LOG.debug("resting for {} before the next attempt to send to {}: {}", rest, destination, why);
    }
}
