package dev.tallystick.engine.graph;

import dev.tallystick.workflow.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whom a hook of a graph asks, what it asks, and who is asked next if no answer comes. The counterpart of {@link Ask} in code.
 *
 * @param group the group whose members may claim the task, or null if one person is asked
 * @param person evaluates to the person who holds the task from the beginning, or null if the first to claim it gets it
 * @param details evaluates to what people need to know to answer; null for nothing
 */
public record NodeAsk(
        @Nullable String group,
        @Nullable Expression person,
        @Nullable Expression details,
        List<Ask.Escalation> escalations) {

    public NodeAsk {
        if ((group == null) == (person == null)) {
            throw new IllegalArgumentException("a task is for a group or for a person: name one of them");
        }
        if (group != null) {
            Ask.requireName("group", group);
        }
        escalations = List.copyOf(escalations);
    }

    /** Asks any member of a group. Your application decides who belongs to it. */
    public static NodeAsk group(String name) {
        return new NodeAsk(name, null, null, List.of());
    }

    /** Asks one person, whose name the expression evaluates to. */
    public static NodeAsk person(String expression) {
        return new NodeAsk(null, Expression.of(expression), null, List.of());
    }

    public NodeAsk about(String expression) {
        return new NodeAsk(group, person, Expression.of(expression), escalations);
    }

    /** Asks {@code otherGroup} if no answer arrives within {@code after} of the start or of the previous escalation. */
    public NodeAsk escalate(Duration after, String otherGroup) {
        List<Ask.Escalation> more = new ArrayList<>(escalations);
        more.add(new Ask.Escalation(after, otherGroup));
        return new NodeAsk(group, person, details, more);
    }

    /** How long until the last group is asked. */
    Duration untilLast() {
        return escalations.stream().map(Ask.Escalation::after).reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * How long to wait after this many escalations.
     *
     * @param patience how long to wait in total, or null to wait forever
     */
    @Nullable
    public Duration wait(int escalated, @Nullable Duration patience) {
        if (escalated < escalations.size()) {
            return escalations.get(escalated).after();
        }
        return patience == null ? null : patience.minus(untilLast());
    }
}
