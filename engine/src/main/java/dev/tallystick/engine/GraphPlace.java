package dev.tallystick.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node, how it is reached and where it leads.
 *
 * @param join whether it waits until every transition that leads here has arrived or been skipped
 * @param next all of these are taken whose condition holds
 */
public record GraphPlace(GraphNode node, boolean join, List<Transition> next) {

    public GraphPlace {
        next = List.copyOf(next);
    }

    public String name() {
        return node.name();
    }

    /**
     * The way to another node.
     *
     * @param when holds if the way is taken; null if it always is
     */
    public record Transition(String to, @Nullable Expression when) {}
}
