package dev.tallystick.engine.code;

import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.LostBranch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The results and dispatches of a body that are not committed yet. Thread-safe.
 *
 * <p>One lock covers taking them and checking whether a branch may still add any: what a branch adds is taken with or before
 * the decision that ends the branch, or it is refused.
 */
final class PendingResults {

    /** How long a step that is to be committed with its result may run before its start is recorded. */
    private static final Duration UNANNOUNCED = Duration.ofSeconds(1);

    private List<LegOne> dispatches = new ArrayList<>();
    private List<LegTwo> results = new ArrayList<>();
    private List<LostBranch> lost = new ArrayList<>();
    private long since;
    private boolean wasRefused;

    /** The part taken for a commit. */
    record Taken(List<LegTwo> results, List<LegOne> dispatches, List<LostBranch> lost) {}

    /** @param check throws if this is no longer accepted */
    synchronized void note(Runnable check, LegTwo result) {
        check.run();
        if (results.isEmpty()) {
            since = System.nanoTime();
        }
        results.add(result);
    }

    /** A result that was found without doing any work. */
    synchronized void note(Runnable check, LegOne dispatch, LegTwo result) {
        note(check, result);
        dispatches.add(dispatch);
    }

    /** How branches were decided, and which branches end because of that. */
    synchronized void note(Runnable check, LegOne dispatch, LegTwo decision, List<LostBranch> losers) {
        note(check, dispatch, decision);
        lost.addAll(losers);
    }

    synchronized void noteBegun(Runnable check, LegOne dispatch) {
        check.run();
        if (results.isEmpty() && dispatches.isEmpty()) {
            since = System.nanoTime();
        }
        dispatches.add(dispatch.begunNow());
    }

    synchronized boolean hasResults() {
        return !results.isEmpty();
    }

    /** Whether a result has waited for longer than {@code age}, or a started step for longer than {@link #UNANNOUNCED}. */
    synchronized boolean isStale(Duration age) {
        Duration patience = results.isEmpty() ? UNANNOUNCED : age;
        boolean isEmpty = results.isEmpty() && dispatches.isEmpty();
        return !isEmpty && !wasRefused && System.nanoTime() - since > patience.toNanos();
    }

    /**
     * Takes everything, plus the given results and dispatches. A later attempt replaces the entry of the previous one, which it
     * counts.
     */
    synchronized Taken take(List<LegTwo> lastResults, List<LegOne> lastDispatches) {
        Taken taken = new Taken(results, dispatches, lost);
        results = new ArrayList<>();
        dispatches = new ArrayList<>();
        lost = new ArrayList<>();
        wasRefused = false;
        taken.results().addAll(lastResults);
        lastDispatches.forEach(
                next -> taken.dispatches().removeIf(entry -> entry.activity().equals(next.activity())));
        taken.dispatches().addAll(lastDispatches);
        return taken;
    }

    /** A part that was refused without its body knowing is tried again with the next checkpoint, not earlier. */
    synchronized void putBack(Checkpoint refused) {
        results.addAll(0, refused.results());
        dispatches.addAll(0, refused.dispatches());
        lost.addAll(0, refused.lost());
        wasRefused = true;
    }
}
