package dev.tallystick.workflow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whom a workflow asks, what it asks, and who is asked next if no answer comes.
 *
 * @param group the group whose members may claim the task, or null if one person is asked
 * @param person the person who holds the task from the beginning, or null if the first to claim it gets it
 * @param details what people need to know to answer
 */
public record Ask(
        @Nullable String group,
        @Nullable String person,
        @Nullable Object details,
        List<Escalation> escalations) {

    /** After this long without an answer the task moves to another group, unclaimed. */
    public record Escalation(Duration after, String group) {

        public Escalation {
            if (after.isNegative() || after.isZero()) {
                throw new IllegalArgumentException("a task escalates after some time, got " + after);
            }
            requireName("group", group);
        }
    }

    private static final int LONGEST_NAME = 200;

    public Ask {
        if ((group == null) == (person == null)) {
            throw new IllegalArgumentException("a task is for a group or for a person");
        }
        if (group != null) {
            requireName("group", group);
        }
        if (person != null) {
            requireName("person", person);
        }
        escalations = List.copyOf(escalations);
    }

    /** Asks any member of a group. Your application decides who belongs to it. */
    public static Ask group(String name) {
        return new Ask(name, null, null, List.of());
    }

    public static Ask person(String name) {
        return new Ask(null, name, null, List.of());
    }

    public Ask about(@Nullable Object what) {
        return new Ask(group, person, what, escalations);
    }

    /** Asks {@code otherGroup} if no answer arrives within {@code after} of the start or of the previous escalation. */
    public Ask escalate(Duration after, String otherGroup) {
        List<Escalation> more = new ArrayList<>(escalations);
        more.add(new Escalation(after, otherGroup));
        return new Ask(group, person, details, more);
    }

    public static void requireName(String what, String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "the name of a " + what + " has 1 to " + LONGEST_NAME + " characters, got '" + name + "'");
        }
    }
}
