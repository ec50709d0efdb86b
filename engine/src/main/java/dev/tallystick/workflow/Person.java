package dev.tallystick.workflow;

import java.time.Instant;

/**
 * A person who can have tasks.
 *
 * @param id unique and never reused
 * @param name the name that workflows use; a name may be reassigned once it is free
 * @param since when the name began to mean this person
 */
public record Person(String id, String name, Instant since) {

    public Person {
        Ask.requireName("person", id);
        Ask.requireName("person", name);
    }

    /** A person whose name never belonged to anyone else. */
    public static Person named(String name) {
        return new Person(name, name, Instant.EPOCH);
    }

    /** Whether a task that was assigned to this id or name at that time is this person's. */
    public boolean is(String assignee, Instant given) {
        return assignee.equals(id) || (assignee.equals(name) && !given.isBefore(since));
    }
}
