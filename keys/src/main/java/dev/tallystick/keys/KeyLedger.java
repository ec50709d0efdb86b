package dev.tallystick.keys;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Futures;
import dev.tallystick.core.Ids;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.DefiniteFailureException.Reason;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.SessionLimits;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.sql.UnknownOutcomeException;
import java.util.List;
import java.util.Optional;

/**
 * Runs a handler once per key, and answers repeats with its answer.
 *
 * <p>If the effect goes through a transaction of this database, use {@link #onceInTransaction}: effect and answer commit
 * together, and after a crash you simply repeat the request. For any other effect use {@link #once}: the key is durable before
 * the handler runs, and after a crash in between the key stays closed until its owner or an operator has found out whether the
 * effect happened. No timeout ever runs a handler again.
 *
 * <p>If a call throws {@link UnknownOutcomeException}, repeat it under the same key, preferably in the same process, which
 * still knows what it did. Thread-safe; calls block.
 */
public final class KeyLedger {

    private static final int RECOVERY_BATCH = 500;
    private static final int MAX_ROUNDS = 5;

    private final Database database;
    private final GroupCommitter committer;
    private final KeyOwner owner;
    private final Ids ids;
    private final CrashPoints crashPoints;
    private final ReserveKeys door;
    private final UnrecordedVerdicts unrecordedVerdicts = new UnrecordedVerdicts();

    public KeyLedger(Database database, GroupCommitter committer, KeyOwner owner, KeyRetention retention, Ids ids) {
        this(database, committer, owner, retention, ids, CrashPoints.NONE);
    }

    public KeyLedger(
            Database database,
            GroupCommitter committer,
            KeyOwner owner,
            KeyRetention retention,
            Ids ids,
            CrashPoints crashPoints) {
        this.database = database;
        this.committer = committer;
        this.owner = owner;
        this.ids = ids;
        this.crashPoints = crashPoints;
        this.door = new ReserveKeys(retention, crashPoints);
    }

    /**
     * Runs the handler unless it has already run under this key.
     *
     * @throws X if the handler does; the outcome is then unknown
     * @throws DefiniteFailureException if the handler did not run
     * @throws UnknownOutcomeException if it is unknown what was recorded
     */
    public <X extends Exception> Once once(ScopedKey key, Fingerprint fingerprint, Handler<X> handler) throws X {
        UnrecordedVerdicts.Doubt doubt = unrecordedVerdicts.take(key, fingerprint);
        if (doubt instanceof UnrecordedVerdicts.Unrecorded unrecorded) {
            return onceRepeated(record(unrecorded.settlement(), fingerprint));
        }
        Reserve reserve = doubt instanceof UnrecordedVerdicts.Unconfirmed unconfirmed
                ? confirm(unconfirmed.claim())
                : reserve(new ReserveClaim(key, fingerprint, ids.next(), owner, false));
        return reserve instanceof Reserve.Reserved reserved
                ? run(reserved.reservation(), fingerprint, handler)
                : onceElsewhere(reserve);
    }

    /**
     * Runs the handler unless it has already run under this key; its effect and its answer commit together.
     *
     * @throws DefiniteFailureException if neither happened
     * @throws UnknownOutcomeException if it is unknown whether both happened or neither
     */
    public Once onceInTransaction(ScopedKey key, Fingerprint fingerprint, TransactionalHandler handler) {
        for (int round = 1; round <= MAX_ROUNDS; round++) {
            ReserveClaim claim = new ReserveClaim(key, fingerprint, ids.next(), owner, true);
            Optional<Once> once = reserveAndRun(claim, handler);
            if (once.isPresent()) {
                return once.get();
            }
        }
        throw new DefiniteFailureException(Reason.CONFLICT, "the reservation of " + key + " kept being released", null);
    }

    /**
     * Settles the reservations that a dead owner left behind. An instance calls this for its own name when it starts, before
     * it runs anything; an operator calls it for an instance that will not come back.
     */
    public Recovery recover(KeyOwner dead) {
        Recovery all = Recovery.NOTHING;
        Recovery batch;
        do {
            batch = database.transact("recover keys of " + dead, tx -> door.recover(tx, dead, RECOVERY_BATCH));
            all = all.plus(batch);
        } while (batch.total() > 0);
        return all;
    }

    public Optional<KeyEntry> lookUp(ScopedKey key) {
        return database.read(
                "look up a key",
                tx -> Optional.ofNullable(door.lookUp(tx, List.of(key)).get(key)));
    }

    /** The pending and unknown keys, the oldest first. */
    public List<KeyEntry> unresolved(int limit) {
        return database.read("list open keys", tx -> door.unresolved(tx, limit));
    }

    /**
     * Records the outcome of a request whose outcome was unknown, once you have found out.
     *
     * @param unknown the entry as you read it; if it has changed since, nothing is written
     */
    public Settle resolve(KeyEntry unknown, Verdict verdict) {
        if (unknown.status() != KeyStatus.OUTCOME_UNKNOWN) {
            throw new IllegalArgumentException(
                    unknown.key() + " is " + unknown.status() + ": only an unknown outcome can be resolved");
        }
        return Futures.await(committer.submit(door.settling(), new Settlement(unknown.reservation(), verdict)));
    }

    private Reserve reserve(ReserveClaim claim) {
        try {
            return Futures.await(committer.submit(door.reserving(), claim));
        } catch (UnknownOutcomeException e) {
            unrecordedVerdicts.remember(claim.key(), new UnrecordedVerdicts.Unconfirmed(claim));
            throw e;
        }
    }

    /** A definite failure of this attempt says nothing about the previous one, so the doubt stays. */
    private Reserve confirm(ReserveClaim claim) {
        try {
            return Futures.await(committer.submit(door.reserving(), claim));
        } catch (TransactionException e) {
            unrecordedVerdicts.remember(claim.key(), new UnrecordedVerdicts.Unconfirmed(claim));
            throw e;
        }
    }

    private <X extends Exception> Once run(Reservation reservation, Fingerprint fingerprint, Handler<X> handler)
            throws X {
        crashPoints.reached(KeysCrashPoint.RESERVED);
        Verdict verdict;
        try {
            verdict = handler.handle();
        } catch (Throwable failure) {
            crashPoints.reached(KeysCrashPoint.HANDLER_FAILED);
            recordDespite(failure, new Settlement(reservation, Verdict.unknown()), fingerprint);
            throw failure;
        }
        crashPoints.reached(KeysCrashPoint.HANDLED);
        Settle settle = record(new Settlement(reservation, verdict), fingerprint);
        crashPoints.reached(KeysCrashPoint.ANSWERED);
        return onceRun(settle);
    }

    /** The handler has run: even if its verdict cannot be recorded, the outcome is not "nothing happened". */
    private Settle record(Settlement settlement, Fingerprint fingerprint) {
        try {
            return Futures.await(committer.submit(door.settling(), settlement));
        } catch (TransactionException e) {
            unrecordedVerdicts.remember(settlement.key(), new UnrecordedVerdicts.Unrecorded(fingerprint, settlement));
            throw new UnknownOutcomeException(
                    "the handler ran for " + settlement.key() + ", but it is unknown whether that is recorded:"
                            + " repeat the request under the same key",
                    e);
        }
    }

    private void recordDespite(Throwable failure, Settlement settlement, Fingerprint fingerprint) {
        try {
            Settle unused = record(settlement, fingerprint);
        } catch (UnknownOutcomeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Empty if the reservation was released before it could be run. */
    private Optional<Once> reserveAndRun(ReserveClaim claim, TransactionalHandler handler) {
        Reserve reserve = Futures.await(committer.submit(door.reserving(), claim));
        return switch (reserve) {
            case Reserve.Reserved reserved -> runReserved(reserved.reservation(), claim, handler);
            case Reserve.InProgress other when other.entry().isTransactional() -> runInTransaction(claim, handler);
            case Reserve.InProgress other -> Optional.of(onceElsewhere(other));
            case Reserve.OutcomeUnknown unknown -> Optional.of(onceElsewhere(unknown));
            case Reserve.Replayed replayed -> Optional.of(onceElsewhere(replayed));
            case Reserve.Reused reused -> Optional.of(onceElsewhere(reused));
        };
    }

    /** The process that reserved the key also releases it when the transaction is rolled back. */
    private Optional<Once> runReserved(Reservation reservation, ReserveClaim claim, TransactionalHandler handler) {
        crashPoints.reached(KeysCrashPoint.RESERVED);
        try {
            return runInTransaction(claim, handler);
        } catch (UnknownOutcomeException e) {
            throw e;
        } catch (RuntimeException | Error failure) {
            crashPoints.reached(KeysCrashPoint.HANDLER_FAILED);
            releaseDespite(failure, reservation);
            throw failure;
        }
    }

    /** If it cannot be released it stays pending, and the next request under the key takes it over. */
    private void releaseDespite(Throwable failure, Reservation reservation) {
        try {
            Settle unused =
                    Futures.await(committer.submit(door.settling(), new Settlement(reservation, Verdict.release())));
        } catch (TransactionException e) {
            failure.addSuppressed(e);
        }
    }

    private Optional<Once> runInTransaction(ReserveClaim claim, TransactionalHandler handler) {
        Optional<Once> answer = database.transact("answer " + claim.key(), SessionLimits.USERS, tx -> {
            Optional<Reserve> held = door.hold(tx, claim);
            if (held.isEmpty()) {
                return Optional.<Once>empty();
            }
            if (!(held.get() instanceof Reserve.Reserved reserved)) {
                return Optional.of(onceElsewhere(held.get()));
            }
            Settlement settlement = new Settlement(reserved.reservation(), handler.handle(tx));
            tx.withoutUsers();
            Once once = onceRun(door.settle(tx, List.of(settlement)).getFirst());
            if (!(once instanceof Once.Ran)) {
                throw new IllegalStateException("the handler changed its own key: " + claim.key());
            }
            crashPoints.reached(KeysCrashPoint.ANSWER_WRITTEN);
            return Optional.of(once);
        });
        crashPoints.reached(KeysCrashPoint.ANSWERED);
        return answer;
    }

    private static Once onceRun(Settle settle) {
        return switch (settle) {
            case Settle.Settled settled ->
                settled.entry().status().isFinal()
                        ? new Once.Ran(settled.entry())
                        : new Once.OutcomeUnknown(settled.entry());
            case Settle.Released released -> new Once.Released();
            case Settle.Overruled overruled -> new Once.Overruled(overruled.entry());
        };
    }

    /** The handler ran in an earlier call, whose verdict only now turns out to be recorded. */
    private static Once onceRepeated(Settle settle) {
        Once once = onceRun(settle);
        return once instanceof Once.Ran ran ? new Once.Replayed(ran.entry()) : once;
    }

    private static Once onceElsewhere(Reserve reserve) {
        return switch (reserve) {
            case Reserve.Reserved reserved -> throw new IllegalStateException("held here: " + reserved.reservation());
            case Reserve.InProgress other -> new Once.InProgress(other.entry());
            case Reserve.OutcomeUnknown unknown -> new Once.OutcomeUnknown(unknown.entry());
            case Reserve.Replayed replayed -> new Once.Replayed(replayed.entry());
            case Reserve.Reused reused -> new Once.Reused(reused.reuse());
        };
    }
}
