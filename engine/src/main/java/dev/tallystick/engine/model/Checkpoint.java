package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.util.ArrayList;
import java.util.List;

/**
 * What a body reports at once, committed together or not at all: the results of its work, and its next dispatches. Only the
 * holder of the lease may write one.
 *
 * @param isChild whether another job waits for this one and must be notified when it ends
 * @param children jobs that begin with this checkpoint, each dispatched by one of its activities
 * @param waitsFor places of which one must be done before the body can continue; if there are any, this checkpoint releases the
 *     lease, and the body is due again when one of them is done
 * @param lost branches that this checkpoint ends
 * @param leavesWaits whether it ends a job that may still have open waits, such as its time-out; these are dropped
 */
public record Checkpoint(
        Lease lease,
        boolean isChild,
        List<LegTwo> results,
        List<LegOne> dispatches,
        List<NewJob> children,
        List<String> waitsFor,
        List<LostBranch> lost,
        boolean leavesWaits) {

    /** A checkpoint of a job that has no parent and leaves no waits. */
    public Checkpoint(
            Lease lease, List<LegTwo> results, List<LegOne> dispatches, List<NewJob> children, List<String> waitsFor) {
        this(lease, false, results, dispatches, children, waitsFor, List.of(), false);
    }

    public Checkpoint {
        results = List.copyOf(results);
        dispatches = List.copyOf(dispatches);
        children = List.copyOf(children);
        waitsFor = List.copyOf(waitsFor);
        lost = List.copyOf(lost);
    }

    public boolean parks() {
        return !waitsFor.isEmpty();
    }

    /** A copy for a closed job: only its results, which are recorded and change nothing. */
    public Checkpoint afterClosing() {
        List<LegTwo> all = new ArrayList<>(results);
        all.removeIf(result -> result.guid().equals(lease.guid()));
        List<LegOne> done = new ArrayList<>(dispatches);
        done.removeIf(
                dispatch -> all.stream().noneMatch(result -> result.activity().equals(dispatch.activity())));
        all.add(LegTwo.answering(lease, null, "the job had closed"));
        return new Checkpoint(lease, isChild, all, done, List.of(), List.of(), List.of(), leavesWaits);
    }

    /** Whether it needs writes beyond the ledgers: {@link #undoes}, {@link #leavesWaits} or {@link #fails}. */
    public boolean leavesMore() {
        return undoes() || leavesWaits || fails();
    }

    /** Whether the body has failed and its steps must be undone. */
    public boolean undoes() {
        return dispatches.stream().anyMatch(LegOne::undoes);
    }

    /** Whether it closes a failed job. */
    public boolean fails() {
        return results.stream()
                .anyMatch(result -> result.outcome() == JobOutcome.FAILED || result.outcome() == JobOutcome.TIMED_OUT);
    }

    /** The approximate payload size. */
    public long bytes() {
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

    /** Whether it ends tasks, which must be locked before the job. */
    public boolean endsTasks() {
        return lost.stream().anyMatch(each -> !each.tasks().isEmpty());
    }

    public JobId job() {
        return lease.job();
    }

    /**
     * Whether this contains only results of steps that it also enters, next steps that the dispatching process runs itself, and
     * perhaps the end of the job; and all of it for the first time as far as the holder knows.
     */
    public boolean isPlain() {
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
