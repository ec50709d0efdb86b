package dev.tallystick.engine;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ways that lead on from one transition: each is taken or skipped, and a skipped one goes on being skipped until it arrives
 * at a join, which so never waits for what will not come.
 */
final class GraphWays {

    private final GraphPlan plan;
    private final GraphPlace place;
    private final String path;
    private final GraphTransition transition;
    private final GraphEffects planned;

    /** Nodes that are entered again from here: their loop goes round, so nobody outside may hear yet that it was left. */
    private final Set<String> again = new HashSet<>();

    /**
     * @param place where the ways begin
     * @param path the dimension of what follows
     */
    GraphWays(GraphPlan plan, GraphPlace place, String path, GraphTransition transition, GraphEffects planned) {
        this.plan = plan;
        this.place = place;
        this.path = path;
        this.transition = transition;
        this.planned = planned;
    }

    GraphEffects planned() {
        return planned;
    }

    GraphTransition transition() {
        return transition;
    }

    /** Returns whether any way was taken. */
    boolean follow() throws SQLException {
        Map<String, @Nullable Object> context = plan.context(path);
        boolean failed = transition.told() instanceof GraphTold.Failure;
        Map<String, Boolean> taken = new LinkedHashMap<>();
        for (GraphPlace.Transition way : place.next()) {
            Expression when = way.when();
            boolean holds = way.onFailure() == failed && (when == null || when.holds(context));
            taken.put(way.to(), holds);
            if (holds && plan.shape().place(way.to()).node() instanceof GraphNode.Cycle cycle) {
                again.add(cycle.back());
            }
        }
        for (Map.Entry<String, Boolean> way : taken.entrySet()) {
            GraphPlace target = plan.shape().place(way.getKey());
            if (target.join()) {
                arrive(target, place.name(), path, way.getValue());
            } else if (way.getValue()) {
                ActivityId activity = new ActivityId(plan.job(), path, target.name());
                planned.opened++;
                GraphDispatch entered =
                        new GraphDispatch(activity, target.node().kind(), true, null, null, null, null);
                plan.spawner().enter(target, entered, context, transition, planned);
            } else {
                skip(target, path);
            }
        }
        return taken.containsValue(true);
    }

    /** Nothing happens at the place, and nothing at what follows it alone. */
    void skip(GraphPlace skipped, String dimension) throws SQLException {
        for (GraphPlace.Transition way : skipped.next()) {
            GraphPlace target = plan.shape().place(way.to());
            if (target.join()) {
                arrive(target, skipped.name(), dimension, false);
            } else {
                skip(target, dimension);
            }
        }
    }

    private void arrive(GraphPlace join, String from, String dimension, boolean live) throws SQLException {
        boolean leavesRound = again.stream().anyMatch(opener -> !plan.shape().dominates(opener, join.name()));
        if (live || !leavesRound) {
            plan.arrive(join, from, dimension, live, this);
        }
    }
}
