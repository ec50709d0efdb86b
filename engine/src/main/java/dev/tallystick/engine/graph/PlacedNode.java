package dev.tallystick.engine.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node, how it is reached and where it leads.
 *
 * @param join whether it waits until every transition that leads here has arrived or been skipped
 * @param next the outgoing transitions; all whose condition holds are taken
 */
public record PlacedNode(Node node, boolean join, List<Transition> next) {

    public PlacedNode {
        next = List.copyOf(next);
    }

    public String name() {
        return node.name();
    }

    /**
     * A transition to another node.
     *
     * @param when the condition for taking it; null for always
     * @param onFailure whether it is taken if the node failed for good, and not if it succeeded
     */
    public record Transition(String to, @Nullable Expression when, boolean onFailure) {

        /** A transition that is taken if the node succeeded. */
        public Transition(String to, @Nullable Expression when) {
            this(to, when, false);
        }
    }

    /** Whether the graph continues if the node fails for good. */
    public boolean handlesFailure() {
        return next.stream().anyMatch(Transition::onFailure);
    }
}
