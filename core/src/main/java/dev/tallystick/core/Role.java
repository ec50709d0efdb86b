package dev.tallystick.core;

import java.util.Locale;

/** What a member may do in its mesh. No role includes another, except that an admin may do everything. */
public enum Role {
    /** May do everything, including managing members, topics and webhooks. */
    ADMIN,
    /** Submits jobs and messages, and takes its deliveries. */
    MEMBER,
    /** Claims work of jobs and reports the results. */
    WORKER,
    /** Reads, and changes nothing. */
    OBSERVER,
    /** Another participant of the exchange: delivers its messages, and compares its books with ours. */
    PARTNER;

    /** As written in JSON and in the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Role parse(String word) {
        for (Role role : values()) {
            if (role.word().equals(word)) {
                return role;
            }
        }
        throw new IllegalArgumentException(
                "a role must be one of admin, member, worker, observer, partner, not '" + word + "'");
    }
}
