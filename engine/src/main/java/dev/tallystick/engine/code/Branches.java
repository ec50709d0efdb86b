package dev.tallystick.engine.code;

import dev.tallystick.core.Unwinding;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Fault;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.RecordedActivity;
import dev.tallystick.workflow.Context.Branch;
import dev.tallystick.workflow.GenericType;
import dev.tallystick.workflow.Payloads;
import dev.tallystick.workflow.StepFailedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Parallel branches of a body, each with its own thread and its own obligation: +1 when it is dispatched, −1 with its result.
 * The result of a branch is recorded, so a finished branch does not run again. If the parent does not wait for all branches,
 * the record says which one decided, so every run goes the same way. The transaction that records the decision ends the others.
 */
final class Branches<T extends @Nullable Object> {

    /** What the parent waits for. A failure ends the wait for all; only the failure of every branch ends the wait for any. */
    private enum Until {
        ALL,
        ANY
    }

    private static final String WHILE_BRANCHES_RUN =
            "of the context around them while branches run: ask the context that the branch is given";

    private final ReplayContext parent;
    private final JobExecution run;
    private final ActivityId choice;
    private final GenericType<T> type;
    private final List<Branch<T>> branches;
    private final List<@Nullable Ending> endings = new ArrayList<>();
    private final List<ReplayContext> replayContexts = new ArrayList<>();

    /** The threads of the branches that run here. */
    private final Map<Integer, Thread> threads = new HashMap<>();

    /** Whether the losers are decided: from then on no branch may end. Guarded by {@link #endings}. */
    private boolean isDecided;

    /** The recorded end of a branch: an output or a failure. */
    private record Ending(
            byte @Nullable [] output, @Nullable StepFailedException failure) {}

    Branches(ReplayContext parent, JobExecution run, ActivityId choice, GenericType<T> type, List<Branch<T>> branches) {
        this.parent = parent;
        this.run = run;
        this.choice = choice;
        this.type = type;
        this.branches = List.copyOf(branches);
        for (int i = 0; i < branches.size(); i++) {
            RecordedActivity recorded = parent.recordOf(activity(i));
            endings.add(recorded != null && recorded.isDone() ? replay(recorded) : null);
            replayContexts.add(parent.branch(activity(i).path()));
        }
    }

    /** What the branches return, in their order. */
    List<T> all() {
        if (branches.isEmpty()) {
            return List.of();
        }
        demandSuccess(decide(Until.ALL));
        List<T> results = new ArrayList<>(branches.size());
        for (int i = 0; i < branches.size(); i++) {
            results.add(result(i));
        }
        return results;
    }

    /** What the first branch returns. */
    T any() {
        if (branches.isEmpty()) {
            throw new IllegalArgumentException("any() needs at least one branch: there is no first of none");
        }
        return result(decide(Until.ANY));
    }

    /** Runs what has not ended, until there is what the parent waits for; returns which branch brought it. */
    private int decide(Until until) {
        if (run.undoing() != null) {
            lookThrough();
        }
        RecordedActivity recorded = parent.recordOf(choice);
        if (recorded != null && recorded.isDone()) {
            return ByteBuffer.wrap(Objects.requireNonNull(recorded.output())).getInt();
        }
        if (run.undoing() != null) {
            return decidedOnRecord(until);
        }
        if (decided(until) < 0) {
            runOpen(until);
        }
        return conclude(until);
    }

    /**
     * Says who decided, and ends the others; those that have ended give back what they took, because the workflow hears of the one
     * that decided only. Where all have succeeded, the workflow hears of every branch and there is nothing to say.
     */
    private int conclude(Until until) {
        int decided;
        List<Integer> unheard = new ArrayList<>();
        List<Integer> open = new ArrayList<>();
        synchronized (endings) {
            isDecided = true;
            decided = decided(until);
            boolean hearsAll = until == Until.ALL && !hasFailed(endings.get(decided));
            for (int i = 0; i < endings.size(); i++) {
                if (i != decided && !hearsAll) {
                    unheard.add(i);
                    if (endings.get(i) == null) {
                        open.add(i);
                    }
                }
            }
        }
        open.forEach(i -> replayContexts.get(i).cancel());
        interrupt(open);
        if (until == Until.ANY || !unheard.isEmpty()) {
            byte[] output = ByteBuffer.allocate(Integer.BYTES).putInt(decided).array();
            parent.decide(
                    choice,
                    output,
                    unheard.stream().map(i -> activity(i).path()).toList());
        }
        return decided;
    }

    /** Replays every branch in turn, including finished ones: each may have something to undo. */
    private void lookThrough() {
        for (int i = 0; i < branches.size(); i++) {
            try {
                branches.get(i).run(replayContexts.get(i));
            } catch (UndoReached recordEnds) {
                parent.checkNotCancelled();
            } catch (Unwinding ours) {
                throw ours;
            } catch (Throwable e) {
                parent.checkNotCancelled();
            }
        }
    }

    private int decidedOnRecord(Until until) {
        int decided = decided(until);
        if (decided < 0) {
            throw new UndoReached();
        }
        return decided;
    }

    private void runOpen(Until until) {
        List<Integer> open = new ArrayList<>();
        List<LegOne> dispatches = new ArrayList<>();
        for (int i = 0; i < branches.size(); i++) {
            if (ending(i) == null) {
                open.add(i);
                if (run.recorded(activity(i).path()) == null) {
                    dispatches.add(LegOne.inline(activity(i), "branch", 1));
                }
            }
        }
        run.dispatch(parent, dispatches);
        ParkingMonitor.Fork attention = run.attention()
                .fork(
                        parent.prefix(),
                        open.stream().map(i -> replayContexts.get(i).prefix()).toList());
        parent.order().occupy(WHILE_BRANCHES_RUN);
        for (int i : open) {
            Runnable branch = run.tools().spans().beside(() -> runBranch(i, until, attention));
            threads.put(i, run.threads().start("tally-branch-" + activity(i).path(), branch));
        }
        try {
            attention.await();
        } catch (InterruptedException e) {
            // Stopping or cancelling the parent did the same to its branches.
            interrupt(open);
            parent.checkNotCancelled();
            throw new IllegalStateException("a workflow's thread is interrupted by its engine only", e);
        } finally {
            parent.order().free();
        }
    }

    private void interrupt(List<Integer> which) {
        which.forEach(i -> Optional.ofNullable(threads.get(i)).ifPresent(Thread::interrupt));
    }

    private T result(int branch) {
        byte[] output = demandSuccess(branch);
        return parent.decode(activity(branch).name(), output, type);
    }

    /** What the branch brought; throws why it failed, if it did. */
    private byte[] demandSuccess(int branch) {
        Ending ending = ending(branch);
        if (ending == null) {
            throw new IllegalStateException("branch " + branch + " has not ended");
        }
        if (ending.failure() != null) {
            throw ending.failure();
        }
        return Objects.requireNonNull(ending.output());
    }

    private void runBranch(int i, Until until, ParkingMonitor.Fork attention) {
        ReplayContext replayContext = replayContexts.get(i);
        ActivityId activity = activity(i);
        Ending ending;
        try {
            byte[] output = Payloads.encode(run.tools().codec(), branches.get(i).run(replayContext));
            replayContext.record(activity, -1, output);
            ending = new Ending(output, null);
        } catch (Unwinding ours) {
            throw ours;
        } catch (Throwable e) {
            replayContext.checkNotCancelled();
            ending = new Ending(
                    null,
                    replayContext.fail(activity, -1, Fault.of(e, run.tools().codec())));
        }
        boolean satisfies;
        synchronized (endings) {
            if (isDecided) {
                return;
            }
            endings.set(i, ending);
            satisfies = decided(until) >= 0;
        }
        attention.ended(replayContext.prefix(), satisfies);
    }

    private int decided(Until until) {
        synchronized (endings) {
            int ended = 0;
            for (int i = 0; i < endings.size(); i++) {
                Ending ending = endings.get(i);
                if (ending != null && hasFailed(ending) == (until == Until.ALL)) {
                    return i;
                }
                ended += ending == null ? 0 : 1;
            }
            return ended == endings.size() ? ended - 1 : -1;
        }
    }

    private static boolean hasFailed(@Nullable Ending ending) {
        return ending != null && ending.failure() != null;
    }

    private @Nullable Ending ending(int i) {
        synchronized (endings) {
            return endings.get(i);
        }
    }

    private static Ending replay(RecordedActivity recorded) {
        String error = recorded.error();
        return new Ending(recorded.output(), error == null ? null : new StepFailedException(recorded.name(), error));
    }

    private ActivityId activity(int branch) {
        return new ActivityId(run.job(), choice.path() + "." + (branch + 1), "$branch");
    }
}
