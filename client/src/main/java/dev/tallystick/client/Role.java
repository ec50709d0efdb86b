package dev.tallystick.client;

import java.util.Locale;

/** What a member may do in its mesh. */
public enum Role {
    /** May do everything. */
    ADMIN,
    /** Submits jobs and messages, and takes what is delivered to it. */
    MEMBER,
    /** Does the work of jobs. */
    WORKER,
    /** Reads, and changes nothing. */
    OBSERVER,
    /** Another participant of the exchange. */
    PARTNER;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role with this name; throws an {@link IllegalArgumentException} if there is none. */
    public static Role parse(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
