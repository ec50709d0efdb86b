package dev.tallystick.client;

import java.util.Locale;

/** What a member may do in its mesh. */
public enum Role {
    /** Everything. */
    ADMIN,
    /** Submits jobs and messages, and takes what is delivered to it. */
    MEMBER,
    /** Does work of jobs. */
    WORKER,
    /** Looks, and changes nothing. */
    OBSERVER;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role of this word; an {@link IllegalArgumentException} if there is none. */
    public static Role parse(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
