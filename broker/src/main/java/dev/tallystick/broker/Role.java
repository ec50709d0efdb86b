package dev.tallystick.broker;

import java.util.Locale;

/** What a member may do in its mesh. A role includes nothing of the others, save that an admin may do everything. */
public enum Role {
    /** Everything, also the affairs of members, topics and webhooks. */
    ADMIN,
    /** Submits jobs and messages, and takes what is delivered to it. */
    MEMBER,
    /** Claims work of jobs and brings its results. */
    WORKER,
    /** Looks, and changes nothing. */
    OBSERVER;

    /** How it is written in JSON and in the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Role parse(String word) {
        for (Role role : values()) {
            if (role.word().equals(word)) {
                return role;
            }
        }
        throw new IllegalArgumentException("a role is one of admin, member, worker, observer, not '" + word + "'");
    }
}
