package dev.tallystick.core;

import java.util.Locale;

/** The order in which messages and jobs are served. */
public enum Priority {
    NOW(0),
    NEXT(1),
    LOW(2);

    /** The priority of a submission that does not name one. */
    public static final Priority DEFAULT = NEXT;

    private final int turn;

    Priority(int turn) {
        this.turn = turn;
    }

    /** The number stored in the database; the lowest is served first. */
    public int turn() {
        return turn;
    }

    /** The priority with this number. */
    public static Priority ofTurn(int turn) {
        for (Priority priority : values()) {
            if (priority.turn == turn) {
                return priority;
            }
        }
        throw new IllegalArgumentException("a priority number must be 0, 1 or 2; got " + turn);
    }

    /** The word for it in JSON and in fingerprints. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Priority parse(String word) {
        for (Priority priority : values()) {
            if (priority.word().equals(word)) {
                return priority;
            }
        }
        throw new IllegalArgumentException("a priority must be now, next or low");
    }
}
