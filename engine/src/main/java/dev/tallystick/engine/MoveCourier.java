package dev.tallystick.engine;

import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.UnknownOutcomeException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Brings moves to an end: done, refused because the lease is lost, or given up because the engine stops. */
final class MoveCourier implements Moves {

    /** A body that cannot move for this many tries leaves its job to whoever leases it next. */
    private static final int MAX_ATTEMPTS = 100;

    /** With so many moves on their way it is the database that jobs wait for: more of them would only wait longer. */
    private static final int CROWD = 200;

    private final GroupCommitter committer;
    private final Mover mover;
    private final BooleanSupplier stopping;
    private final Runnable thinnedOut;
    private final Consumer<Duration> timed;
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * @param thinnedOut called when it is no longer crowded
     * @param timed hears in what time something that was moved falls due
     */
    MoveCourier(
            GroupCommitter committer,
            Mover mover,
            BooleanSupplier stopping,
            Runnable thinnedOut,
            Consumer<Duration> timed) {
        this.committer = committer;
        this.mover = mover;
        this.stopping = stopping;
        this.thinnedOut = thinnedOut;
        this.timed = timed;
    }

    /**
     * Whether bodies that are leased now had better be leased later. What is leased is done in the order in which it comes, so a
     * job that another mesh submits next would have to wait for all of it.
     */
    boolean isCrowded() {
        return underWay.get() >= CROWD;
    }

    @Override
    public Moved bring(Move move) {
        underWay.incrementAndGet();
        try {
            Moved moved = bringToAnEnd(move);
            for (LegOne dispatch : move.dispatches()) {
                if (dispatch.due() != null) {
                    timed.accept(dispatch.due());
                }
            }
            return moved;
        } finally {
            if (underWay.getAndDecrement() == CROWD) {
                thinnedOut.run();
            }
        }
    }

    private Moved bringToAnEnd(Move move) {
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            try {
                return committer.submit(mover, move).join();
            } catch (CompletionException e) {
                if (!mayRepeat(e)) {
                    throw new NotRecordedException(Failures.causeOf(e));
                }
            }
            if (stopping.getAsBoolean()) {
                throw new BodyStopped(BodyStopped.Reason.SHUT_DOWN);
            }
            Repeats.pause(attempt);
        }
        return new Moved.LeaseLost();
    }

    /** A move is guarded and may be brought again after anything but a refusal. */
    static boolean mayRepeat(CompletionException failure) {
        return switch (failure.getCause()) {
            case UnknownOutcomeException unknown -> true;
            case DefiniteFailureException definite -> definite.reason() != DefiniteFailureException.Reason.REFUSED;
            case null, default -> false;
        };
    }
}
