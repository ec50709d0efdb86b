package dev.tallystick.engine.record;

import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.ActivityPaths;
import dev.tallystick.engine.model.Checkpoint;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.LostBranch;
import dev.tallystick.engine.model.SentSignal;
import dev.tallystick.engine.record.LostBranchStore.Member;
import dev.tallystick.sql.Tx;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.TaskId;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Ends the open work of lost branches in the deciding transaction: their waits, timers and nested branches get a Leg 2 with the
 * reason, their children are cancelled and their tasks expire.
 *
 * <p>Invariant: no signal belongs to a wait that is never read. A signal that a lost or ended branch took goes
 * to the oldest wait that is open, or stays for the next, unless the branch recorded anything after it.
 *
 * <p>Lock order: tasks before jobs, so {@link #lockTasks} comes first.
 */
final class LostBranches {

    private final LostBranchStore store = new LostBranchStore();
    private final TaskStore tasks = new TaskStore();
    private final CollationStore collation;
    private final PostingStore postings;
    private final SignalStore signals;

    LostBranches(CollationStore collation, PostingStore postings, SignalStore signals) {
        this.collation = collation;
        this.postings = postings;
        this.signals = signals;
    }

    /** Waits for answers that are being written: they came before the decision. */
    void lockTasks(Tx tx, List<Checkpoint> checkpoints) throws SQLException {
        List<TaskId> all = tasksOf(checkpoints);
        if (!all.isEmpty()) {
            tasks.lock(tx, all, true);
        }
    }

    void end(Tx tx, List<Checkpoint> checkpoints) throws SQLException {
        List<ActivityId> branches = checkpoints.stream()
                .flatMap(checkpoint -> checkpoint.lost().stream()
                        .map(lost -> new ActivityId(checkpoint.job(), lost.path(), "$branch")))
                .toList();
        if (branches.isEmpty()) {
            return;
        }
        List<Member> members = store.members(tx, branches);
        Set<Guid> said = checkpoints.stream()
                .flatMap(checkpoint -> checkpoint.results().stream())
                .map(LegTwo::guid)
                .collect(Collectors.toSet());
        endOpen(
                tx,
                members.stream()
                        .filter(member -> !member.isDone() && !said.contains(member.guid()))
                        .toList());
        giveBack(tx, members);
        List<TaskId> asked = tasksOf(checkpoints);
        if (!asked.isEmpty()) {
            tasks.expire(tx, asked);
        }
    }

    private void endOpen(Tx tx, List<Member> open) throws SQLException {
        if (open.isEmpty()) {
            return;
        }
        collation.collate(tx, open.stream().map(LostBranches::ending).toList());
        List<Member> parents =
                open.stream().filter(member -> member.kind().equals("child")).toList();
        List<JobId> children = parents.isEmpty() ? List.of() : store.openChildren(tx, parents);
        if (!children.isEmpty()) {
            postings.postCancel(tx, children);
        }
    }

    private static LegTwo ending(Member member) {
        boolean isObligation = member.kind().equals("branch");
        return LegTwo.whole(member.activity(), 0, isObligation ? -1 : 0, null, LostBranch.ERROR)
                .acknowledging();
    }

    /** A branch that went further has used its signal, whatever it did with it. */
    private void giveBack(Tx tx, List<Member> members) throws SQLException {
        List<Member> unused = members.stream()
                .filter(member -> member.kind().equals(LegOne.AWAIT) && member.isDone())
                .filter(wait -> members.stream().noneMatch(other -> isBehind(wait.activity(), other.activity())))
                .toList();
        Set<SentSignal.Id> given = unused.isEmpty() ? Set.of() : store.giveBack(tx, unused);
        List<ActivityId> waits = given.isEmpty() ? List.of() : signals.openWaits(tx, given);
        List<LegTwo> told = waits.isEmpty() ? List.of() : signals.take(tx, waits);
        if (!told.isEmpty()) {
            collation.collate(tx, told);
        }
    }

    private static boolean isBehind(ActivityId first, ActivityId second) {
        return first.job().equals(second.job()) && ActivityPaths.isBehind(first.path(), second.path());
    }

    private static List<TaskId> tasksOf(List<Checkpoint> checkpoints) {
        return checkpoints.stream()
                .flatMap(checkpoint -> checkpoint.lost().stream())
                .flatMap(lost -> lost.tasks().stream())
                .toList();
    }
}
