package dev.tallystick.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * What a body says in one breath, and what commits together or not at all: the results of what it did, and what it dispatches
 * next. Only the holder of the lease may move its job.
 *
 * @param isChild whether another job waits for this one, and is told when it ends
 * @param children jobs that begin with this move, each dispatched by an activity of it
 * @param waitsFor places of which one must be done before the body has anything to do; if there are any, the lease is given back
 *     and the body is due again when one of them is
 * @param lost branches that are ended by what this says
 * @param leavesWaits whether it ends a job that may still wait for something, its time-out perhaps; nobody does any more then
 */
record Move(
        Lease lease,
        boolean isChild,
        List<LegTwo> results,
        List<LegOne> dispatches,
        List<NewJob> children,
        List<String> waitsFor,
        List<LostBranch> lost,
        boolean leavesWaits) {

    /** A move of a job that nobody waits for and that waits for nothing. */
    Move(Lease lease, List<LegTwo> results, List<LegOne> dispatches, List<NewJob> children, List<String> waitsFor) {
        this(lease, false, results, dispatches, children, waitsFor, List.of(), false);
    }

    Move {
        results = List.copyOf(results);
        dispatches = List.copyOf(dispatches);
        children = List.copyOf(children);
        waitsFor = List.copyOf(waitsFor);
        lost = List.copyOf(lost);
    }

    boolean parks() {
        return !waitsFor.isEmpty();
    }

    /** Only what was done, for a job that has closed: it is recorded and changes nothing. */
    Move afterClosing() {
        List<LegTwo> all = new ArrayList<>(results);
        all.removeIf(result -> result.guid().equals(lease.guid()));
        List<LegOne> done = new ArrayList<>(dispatches);
        done.removeIf(
                dispatch -> all.stream().noneMatch(result -> result.activity().equals(dispatch.activity())));
        all.add(LegTwo.answering(lease, null, "the job had closed"));
        return new Move(lease, isChild, all, done, List.of(), List.of(), List.of(), leavesWaits);
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

    /** About how much of it is payload. */
    long bytes() {
        long bytes = 0;
        for (LegTwo result : results) {
            bytes += result.bytes();
        }
        for (LegOne dispatch : dispatches) {
            bytes += dispatch.bytes();
        }
        for (NewJob child : children) {
            bytes += child.input().length;
        }
        return bytes;
    }

    /** Whether it ends tasks, which are locked before the job. */
    boolean endsTasks() {
        return lost.stream().anyMatch(each -> !each.tasks().isEmpty());
    }

    JobId job() {
        return lease.job();
    }

    /**
     * Whether this says nothing but what steps brought that are begun with it, what is begun next where it is dispatched, and
     * perhaps the end, all of it for the first time as far as the holder knows.
     */
    boolean isPlain() {
        if (results.isEmpty() || !children.isEmpty() || parks() || leavesMore() || !lost.isEmpty()) {
            return false;
        }
        for (LegOne dispatch : dispatches) {
            if (!dispatch.isFirstAndHere()) {
                return false;
            }
        }
        for (LegTwo result : results) {
            boolean isStep = result.isStep() && dispatches(result.activity());
            if (result.stackTrace() != null) {
                return false;
            }
            if (!isStep && (isChild || !result.answers(lease))) {
                return false;
            }
        }
        return true;
    }

    private boolean dispatches(ActivityId activity) {
        for (LegOne dispatch : dispatches) {
            if (dispatch.activity().equals(activity)) {
                return true;
            }
        }
        return false;
    }
}
