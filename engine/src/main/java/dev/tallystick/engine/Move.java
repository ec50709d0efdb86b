package dev.tallystick.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * What a body says in one breath, and what commits together or not at all: the results of what it did, and what it dispatches
 * next. Only the holder of the lease may move its job.
 *
 * @param children jobs that begin with this move, each dispatched by an activity of it
 * @param waitsFor places of which one must be done before the body has anything to do; if there are any, the lease is given back
 *     and the body is due again when one of them is
 * @param isTimed whether the job must be done in time, which no longer matters once it has ended
 */
record Move(
        Lease lease,
        List<LegTwo> results,
        List<LegOne> dispatches,
        List<NewJob> children,
        List<String> waitsFor,
        boolean isTimed) {

    /** A move of a job that may take as long as it likes. */
    Move(Lease lease, List<LegTwo> results, List<LegOne> dispatches, List<NewJob> children, List<String> waitsFor) {
        this(lease, results, dispatches, children, waitsFor, false);
    }

    Move {
        results = List.copyOf(results);
        dispatches = List.copyOf(dispatches);
        children = List.copyOf(children);
        waitsFor = List.copyOf(waitsFor);
    }

    boolean parks() {
        return !waitsFor.isEmpty();
    }

    /** Only what was done, for a job that has closed: it is recorded and changes nothing. */
    Move afterClosing() {
        List<LegTwo> all = new ArrayList<>(results);
        all.removeIf(result -> result.guid().equals(lease.guid()));
        all.add(LegTwo.answering(lease, null, "the job had closed"));
        return new Move(lease, all, List.of(), List.of(), List.of(), isTimed);
    }

    /** Whether more is to be written for it than the ledgers: {@link #undoes}, {@link #endsInTime} or {@link #fails}. */
    boolean leavesMore() {
        return undoes() || endsInTime() || fails();
    }

    /** Whether the body has failed and what it did is to be undone. */
    boolean undoes() {
        return dispatches.stream().anyMatch(LegOne::undoes);
    }

    /** Whether it closes a job that has failed. */
    boolean fails() {
        return results.stream()
                .anyMatch(result -> result.outcome() == JobOutcome.FAILED || result.outcome() == JobOutcome.TIMED_OUT);
    }

    /** Whether it closes a job before its time is over. */
    boolean endsInTime() {
        return isTimed && results.stream().anyMatch(result -> result.outcome() != null);
    }

    JobId job() {
        return lease.job();
    }

    /**
     * Whether the job must be locked first: because its own row changes, or because it must not close meanwhile. A job that
     * closes asks for the end of its children, and must see them all.
     */
    boolean movesJob() {
        return !children.isEmpty()
                || results.stream().anyMatch(LegTwo::movesJob)
                || dispatches.stream().anyMatch(dispatch -> dispatch.delta() != 0 || dispatch.awaitsSignal());
    }
}
