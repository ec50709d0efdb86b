package dev.tallystick.engine;

import java.time.Instant;

/**
 * Somebody who has tasks.
 *
 * @param id who it is, and nobody else ever
 * @param name what workflows call them; names are given to others when they are free
 * @param since from when on the name means this one
 */
public record Person(String id, String name, Instant since) {

    public Person {
        Ask.requireName("person", id);
        Ask.requireName("person", name);
    }

    /** Somebody whose name nobody else ever had. */
    public static Person named(String name) {
        return new Person(name, name, Instant.EPOCH);
    }

    /** Whether this is whom a task was given to, by id or by name, at a certain moment. */
    boolean is(String assignee, Instant given) {
        return assignee.equals(id) || (assignee.equals(name) && !given.isBefore(since));
    }
}
