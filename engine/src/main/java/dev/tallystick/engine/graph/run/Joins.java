package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.Dimension;
import dev.tallystick.engine.graph.Loops;
import dev.tallystick.engine.graph.PlacedNode;
import dev.tallystick.engine.graph.run.NodeStore.Seen;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The joins of one job while its transitions are planned.
 *
 * <p>Invariants: a branch arrives at a join once, and a join is entered once, when all branches have arrived. Whether a branch
 * arrives from a loop at a join outside is decided when the loop is left: if some round took the branch, it has arrived; a
 * round that skips it decides nothing, since another may take it.
 */
final class Joins {

    private final Plan plan;
    private final Map<ActivityId, Seen> seen;
    private final Reader reader;

    /** The transitions that the plan has yet to take. */
    private final Map<Guid, ActivityId> ahead = new HashMap<>();

    /** The transitions that the plan has taken. */
    private final Set<Guid> told = new HashSet<>();

    private final Set<ActivityId> toldActivities = new HashSet<>();
    private @Nullable List<Open> open;

    /**
     * An open activity.
     *
     * @param guid its pending transition; null for a job that it awaits
     */
    record Open(@Nullable Guid guid, ActivityId activity) {}

    /** Reads the activities that were open when the plan began. */
    interface Reader {
        List<Open> open() throws SQLException;
    }

    Joins(Plan plan, Map<ActivityId, Seen> seen, Reader reader) {
        this.plan = plan;
        this.seen = seen;
        this.reader = reader;
    }

    /** Announces a transition that the plan will take. */
    void expect(NodeTransition transition) {
        ahead.put(transition.posting().guid(), transition.activity());
    }

    void take(NodeTransition transition) {
        ahead.remove(transition.posting().guid());
        told.add(transition.posting().guid());
        toldActivities.add(transition.activity());
    }

    /** A branch arrives, taken or skipped. */
    void arrive(PlacedNode join, String from, String path, boolean live, TransitionRouter ways) throws SQLException {
        String joined = plan.shape().joined(path, join.name());
        if (!live && !joined.equals(path)) {
            return;
        }
        ActivityId activity = new ActivityId(plan.job(), joined, join.name());
        if (!mark(activity, from, live, ways)) {
            return;
        }
        if (plan.shape().loops().leftFor(join.name()).isEmpty()) {
            enterIfComplete(join, activity, ways);
        } else {
            ways.settleLater(activity);
        }
    }

    /** If this transition was the last of a loop, the loop has nothing more to bring to joins outside. */
    void leave(Dimension loop, ActivityId last, TransitionRouter ways) throws SQLException {
        Loops loops = plan.shape().loops();
        String opener = loop.opener();
        String around = loop.around();
        if (!loops.keepsOpen(last, opener, around) || isOpen(opener, around, ways)) {
            return;
        }
        loops.exits(opener).forEach((name, inside) -> {
            ActivityId join = new ActivityId(plan.job(), around, name);
            inside.forEach(from -> mark(join, from, false, ways));
            ways.settleLater(join);
        });
    }

    /** Enters a join if every branch has arrived and every loop that leads to it has been left. */
    void settle(ActivityId join, TransitionRouter ways) throws SQLException {
        if (arrivals(join, ways.planned()).arrived() != plan.shape().allArrivals(join.name())) {
            return;
        }
        for (String opener : plan.shape().loops().leftFor(join.name())) {
            if (isOpen(opener, join.path(), ways)) {
                return;
            }
        }
        enterIfComplete(plan.shape().place(join.name()), join, ways);
    }

    /** Marks a branch as arrived; returns false if it already was. */
    private boolean mark(ActivityId join, String from, boolean live, TransitionRouter ways) {
        long bit = plan.shape().arrival(join.name(), from);
        Arrivals before = arrivals(join, ways.planned());
        if ((before.arrived() & bit) != 0) {
            return false;
        }
        if (before.arrived() == 0) {
            ways.planned().opened++;
        }
        String kind = plan.shape().place(join.name()).node().kind();
        long skipped = before.skipped() | (live ? 0 : bit);
        ways.planned().dispatch(new NodeEntry(join, kind, false, null, before.arrived() | bit, skipped, null));
        return true;
    }

    private void enterIfComplete(PlacedNode join, ActivityId activity, TransitionRouter ways) throws SQLException {
        long all = plan.shape().allArrivals(join.name());
        Arrivals now = arrivals(activity, ways.planned());
        if (now.arrived() != all || !ways.complete(activity)) {
            return;
        }
        if (now.skipped() == all) {
            ways.planned().opened--;
            ways.skip(join, activity.path());
        } else {
            NodeEntry arrived =
                    new NodeEntry(activity, join.node().kind(), false, null, now.arrived(), now.skipped(), null);
            plan.spawner()
                    .enter(join, arrived, plan.joinContext(join, activity.path()), ways.transition(), ways.planned());
        }
    }

    private Arrivals arrivals(ActivityId join, PlannedEffects planned) {
        NodeEntry now = planned.join(join);
        NodeEntry latest = now == null ? plan.effects.join(join) : now;
        if (latest != null) {
            return new Arrivals(Objects.requireNonNull(latest.arrived()), Objects.requireNonNull(latest.skipped()));
        }
        Seen before = seen.get(join);
        return before == null ? new Arrivals(0, 0) : new Arrivals(before.arrived(), before.skipped());
    }

    /** The branches that have arrived at a join, one bit each, and those among them that were not taken. */
    private record Arrivals(long arrived, long skipped) {}

    private boolean isOpen(String opener, String path, TransitionRouter ways) throws SQLException {
        Loops loops = plan.shape().loops();
        if (begins(ways.planned(), opener, path)
                || begins(plan.effects, opener, path)
                || ways.unsettled().stream().anyMatch(each -> loops.keepsOpen(each, opener, path))
                || ahead.values().stream().anyMatch(each -> loops.keepsOpen(each, opener, path))) {
            return true;
        }
        if (open == null) {
            open = reader.open();
        }
        return open.stream()
                .filter(each ->
                        each.guid() == null ? !toldActivities.contains(each.activity()) : !told.contains(each.guid()))
                .anyMatch(each -> loops.keepsOpen(each.activity(), opener, path));
    }

    private boolean begins(PlannedEffects effects, String opener, String path) {
        return effects.dispatches.stream()
                .filter(NodeEntry::complete)
                .anyMatch(each -> plan.shape().loops().keepsOpen(each.activity(), opener, path));
    }
}
