package dev.tallystick.engine;

import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.UnknownOutcomeException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Brings moves to an end: done, refused because the lease is lost, or given up because the engine stops or the database has not
 * answered for a long time. When a body is given up, another process resumes its job after leasing it.
 */
final class MoveCourier implements Moves {

    /** With this many moves in flight, jobs are waiting for the database: more moves would only wait longer. */
    private static final int CROWD = 200;

    private final GroupCommitter committer;
    private final Mover mover;
    private final Repeats repeats;
    private final Runnable claims;
    private final Consumer<Duration> timed;
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * @param claims called when more bodies could be leased: it is no longer crowded, or one is due that has just parked
     * @param timed receives the delay until a dispatched posting falls due
     */
    MoveCourier(GroupCommitter committer, Mover mover, Repeats repeats, Runnable claims, Consumer<Duration> timed) {
        this.committer = committer;
        this.mover = mover;
        this.repeats = repeats;
        this.claims = claims;
        this.timed = timed;
    }

    /**
     * Whether to postpone leasing bodies. Leased bodies run in order of arrival, so a job that another mesh submits next would
     * wait for all of them.
     */
    boolean isCrowded() {
        return underWay.get() >= CROWD;
    }

    @Override
    public Moved bring(Move move) {
        underWay.incrementAndGet();
        try {
            Moved moved = bringToAnEnd(move);
            if (moved instanceof Moved.DueAgain) {
                claims.run();
            }
            for (LegOne dispatch : move.dispatches()) {
                if (dispatch.due() != null) {
                    timed.accept(dispatch.due());
                }
            }
            return moved;
        } finally {
            if (underWay.getAndDecrement() == CROWD) {
                claims.run();
            }
        }
    }

    private Moved bringToAnEnd(Move move) {
        return repeats.answer(
                () -> committed(() -> committer.submit(mover, move).join()));
    }

    /** The committed result. A move is guarded, so it may be repeated after anything but a refusal. */
    static <T> T committed(Supplier<T> move) {
        try {
            return move.get();
        } catch (CompletionException e) {
            throw switch (Failures.causeOf(e)) {
                case UnknownWorkflowException elsewhere -> elsewhere;
                case UnknownOutcomeException unknown -> unknown;
                case DefiniteFailureException definite
                when definite.reason() != DefiniteFailureException.Reason.REFUSED -> definite;
                case Throwable refused -> new NotRecordedException(refused);
            };
        }
    }
}
