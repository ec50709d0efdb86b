package dev.tallystick.engine.graph.run;

import dev.tallystick.engine.graph.Dimension;
import dev.tallystick.engine.graph.Expression;
import dev.tallystick.engine.graph.PlacedNode;
import dev.tallystick.engine.model.ActivityId;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the outgoing transitions of a node: each is taken or skipped, and skipping continues along the graph up to the next
 * join, so a join never waits for a branch that will not arrive.
 */
final class TransitionRouter {

    private final Plan plan;
    private final NodeTransition transition;
    private final PlannedEffects planned;

    private final Deque<Skipped> skipped = new ArrayDeque<>();
    private final Set<ActivityId> unsettled = new LinkedHashSet<>();
    private final Set<ActivityId> complete = new HashSet<>();

    /** A node that is skipped in one dimension. */
    private record Skipped(PlacedNode place, String dimension) {}

    TransitionRouter(Plan plan, NodeTransition transition, PlannedEffects planned) {
        this.plan = plan;
        this.transition = transition;
        this.planned = planned;
    }

    PlannedEffects planned() {
        return planned;
    }

    NodeTransition transition() {
        return transition;
    }

    /**
     * Returns whether any transition was taken.
     *
     * @param place the node that the transitions leave
     * @param path the dimension of what follows
     */
    boolean follow(PlacedNode place, String path) throws SQLException {
        Map<String, @Nullable Object> context = plan.context(path);
        boolean failed = transition.told() instanceof NodeEvent.Failure;
        Map<String, Boolean> taken = new LinkedHashMap<>();
        for (PlacedNode.Transition way : place.next()) {
            Expression when = way.when();
            taken.put(way.to(), way.onFailure() == failed && (when == null || when.holds(context)));
        }
        for (Map.Entry<String, Boolean> way : taken.entrySet()) {
            PlacedNode target = plan.shape().place(way.getKey());
            if (target.join()) {
                plan.joins().arrive(target, place.name(), path, way.getValue(), this);
            } else if (way.getValue()) {
                ActivityId activity = new ActivityId(plan.job(), path, target.name());
                planned.opened++;
                NodeEntry entered = new NodeEntry(activity, target.node().kind(), true, null, null, null, null);
                plan.spawner().enter(target, entered, context, transition, planned);
            } else {
                skip(target, path);
            }
        }
        return taken.containsValue(true);
    }

    /** Skips the node, and every node that only it leads to. */
    void skip(PlacedNode place, String dimension) {
        skipped.add(new Skipped(place, dimension));
    }

    /** Checks whether the join is complete once all effects of the transition are planned. */
    void settleLater(ActivityId join) {
        unsettled.add(join);
    }

    /** Marks a join as complete; returns whether it was not before. */
    boolean complete(ActivityId join) {
        return complete.add(join);
    }

    /** The joins that may be complete. */
    Set<ActivityId> unsettled() {
        return unsettled;
    }

    /**
     * Follows the skipped transitions to their end, and enters the joins that are now complete. An inner loop is left before
     * the outer one: a join between them may keep the outer one going.
     */
    void finish() throws SQLException {
        skipOn();
        ActivityId last = transition.activity();
        List<Dimension> loops = Dimension.around(Dimension.opened(last.path(), last.name(), 0));
        for (Dimension loop : loops.reversed()) {
            plan.joins().leave(loop, last, this);
            settle();
        }
    }

    private void settle() throws SQLException {
        while (!unsettled.isEmpty()) {
            ActivityId innermost = Collections.max(
                    unsettled,
                    Comparator.comparingInt(
                            join -> Dimension.around(join.path()).size()));
            unsettled.remove(innermost);
            plan.joins().settle(innermost, this);
            skipOn();
        }
    }

    private void skipOn() throws SQLException {
        while (!skipped.isEmpty()) {
            Skipped each = skipped.remove();
            for (PlacedNode.Transition way : each.place().next()) {
                PlacedNode target = plan.shape().place(way.to());
                if (target.join()) {
                    plan.joins().arrive(target, each.place().name(), each.dimension(), false, this);
                } else {
                    skip(target, each.dimension());
                }
            }
        }
    }
}
