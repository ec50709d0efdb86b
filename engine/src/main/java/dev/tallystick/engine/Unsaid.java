package dev.tallystick.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a body has done and begun, and has not said yet. Thread-safe.
 *
 * <p>Whether a branch may still say something is checked under the lock that everything is taken under: what it says is taken
 * with, or before, the decision that ends the branch, or it is refused.
 */
final class Unsaid {

    /** How long a step that goes out with its result may be under way before the record says that it was begun. */
    private static final Duration UNANNOUNCED = Duration.ofSeconds(1);

    private List<LegOne> dispatches = new ArrayList<>();
    private List<LegTwo> results = new ArrayList<>();
    private List<LostBranch> lost = new ArrayList<>();
    private long since;
    private boolean wasRefused;

    /** What was taken to be said. */
    record Taken(List<LegTwo> results, List<LegOne> dispatches, List<LostBranch> lost) {}

    /** @param check throws if this is no longer heard */
    synchronized void note(Runnable check, LegTwo result) {
        check.run();
        if (results.isEmpty()) {
            since = System.nanoTime();
        }
        results.add(result);
    }

    /** Something that was found out without doing anything. */
    synchronized void note(Runnable check, LegOne dispatch, LegTwo result) {
        note(check, result);
        dispatches.add(dispatch);
    }

    /** How branches were decided, and which of them are ended by that. */
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

    /** Whether a result has been unsaid for longer than {@code age}, or a step {@link #UNANNOUNCED} for too long. */
    synchronized boolean isStale(Duration age) {
        Duration patience = results.isEmpty() ? UNANNOUNCED : age;
        boolean isEmpty = results.isEmpty() && dispatches.isEmpty();
        return !isEmpty && !wasRefused && System.nanoTime() - since > patience.toNanos();
    }

    /** Takes everything, together with what is said with it. A further attempt counts the one before. */
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

    /** What was refused behind the back of its body comes again with the next move, and not before. */
    synchronized void putBack(Move refused) {
        results.addAll(0, refused.results());
        dispatches.addAll(0, refused.dispatches());
        lost.addAll(0, refused.lost());
        wasRefused = true;
    }
}
