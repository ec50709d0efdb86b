package dev.tallystick.engine;

import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.UnknownOutcomeException;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/** Brings moves to an end: done, refused because the lease is lost, or given up because the engine stops. */
final class MoveCourier implements Moves {

    /** A body that cannot move for this many tries leaves its job to whoever leases it next. */
    private static final int MAX_ATTEMPTS = 100;

    private final GroupCommitter committer;
    private final Mover mover;
    private final BooleanSupplier stopping;

    MoveCourier(GroupCommitter committer, Mover mover, BooleanSupplier stopping) {
        this.committer = committer;
        this.mover = mover;
        this.stopping = stopping;
    }

    @Override
    public Moved bring(Move move) {
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            try {
                return committer.submit(mover, move).join();
            } catch (CompletionException e) {
                if (!mayRepeat(e)) {
                    throw e;
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
