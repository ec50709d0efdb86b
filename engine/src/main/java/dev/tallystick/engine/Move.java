package dev.tallystick.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a body says in one breath, and what commits together or not at all: the results of what it did, and what it dispatches
 * next. Only the holder of the lease may move its job.
 *
 * @param isChild whether another job waits for this one, and is told when it ends
 * @param children jobs that begin with this move, each dispatched by an activity of it
 * @param waitsFor places of which one must be done before the body has anything to do; if there are any, the lease is given back
 *     and the body is due again when one of them is
 * @param leavesWaits whether it ends a job that may still wait for something, its time-out perhaps; nobody does any more then
 */
record Move(
        Lease lease,
        boolean isChild,
        List<LegTwo> results,
        List<LegOne> dispatches,
        List<NewJob> children,
        List<String> waitsFor,
        boolean leavesWaits) {

    /** A move of a job that nobody waits for and that waits for nothing. */
    Move(Lease lease, List<LegTwo> results, List<LegOne> dispatches, List<NewJob> children, List<String> waitsFor) {
        this(lease, false, results, dispatches, children, waitsFor, false);
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
        return new Move(lease, isChild, all, List.of(), List.of(), List.of(), leavesWaits);
    }

    /** Whether more is to be written for it than the ledgers: {@link #undoes}, {@link #leavesWaits} or {@link #fails}. */
    boolean leavesMore() {
        return undoes() || leavesWaits || fails();
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

    JobId job() {
        return lease.job();
    }

    /**
     * Whether this says nothing but what steps brought, what is begun next where it is dispatched, and perhaps the end, all of it
     * for the first time as far as the holder knows; and of what was dispatched before, it answers one activity at most.
     */
    boolean isPlain() {
        return !results.isEmpty()
                && children.isEmpty()
                && !parks()
                && !leavesMore()
                && dispatches.stream().allMatch(LegOne::isFirstAndHere)
                && results.stream().allMatch(result -> result.isStep() || (result.answers(lease) && !isChild))
                && answersLater().count() <= 1;
    }

    /** The step that was dispatched by an earlier move and is answered by this one. */
    Optional<ActivityId> answeredLater() {
        return answersLater().findFirst();
    }

    private Stream<ActivityId> answersLater() {
        return results.stream()
                .filter(result -> !result.ends())
                .map(LegTwo::activity)
                .filter(activity ->
                        dispatches.stream().noneMatch(entry -> entry.activity().equals(activity)));
    }
}
