package dev.tallystick.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whom a hook of a graph asks, about what, and who is asked next if nobody answers. What {@link Ask} is to code.
 *
 * @param group whose members may claim the task, or null if one person is asked
 * @param person comes to the name of who has the task from the beginning, or null if whoever claims it first
 * @param details comes to what they need to know to answer; null if that is nothing
 */
public record GraphAsk(
        @Nullable String group,
        @Nullable Expression person,
        @Nullable Expression details,
        List<Ask.Escalation> escalations) {

    public GraphAsk {
        if ((group == null) == (person == null)) {
            throw new IllegalArgumentException("a task is for a group or for a person: name one of them");
        }
        if (group != null) {
            Ask.requireName("group", group);
        }
        escalations = List.copyOf(escalations);
    }

    /** Any member of a group. Who belongs to it is for you to know. */
    public static GraphAsk group(String name) {
        return new GraphAsk(name, null, null, List.of());
    }

    /** One person, whose name the expression comes to. */
    public static GraphAsk person(String expression) {
        return new GraphAsk(null, Expression.of(expression), null, List.of());
    }

    public GraphAsk about(String expression) {
        return new GraphAsk(group, person, Expression.of(expression), escalations);
    }

    /** If there is no answer {@code after} so long, or so long after the escalation before, {@code otherGroup} is asked. */
    public GraphAsk escalate(Duration after, String otherGroup) {
        List<Ask.Escalation> more = new ArrayList<>(escalations);
        more.add(new Ask.Escalation(after, otherGroup));
        return new GraphAsk(group, person, details, more);
    }

    /** How long it takes until the last group is asked. */
    Duration untilLast() {
        return escalations.stream().map(Ask.Escalation::after).reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * How long to wait after so many escalations.
     *
     * @param patience how long to wait in all, or null for as long as it takes
     */
    @Nullable
    Duration wait(int escalated, @Nullable Duration patience) {
        if (escalated < escalations.size()) {
            return escalations.get(escalated).after();
        }
        return patience == null ? null : patience.minus(untilLast());
    }
}
