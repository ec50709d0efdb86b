package dev.tallystick.core;

import java.util.Locale;

/** How soon a message or a job wants its turn. */
public enum Priority {
    NOW(0),
    NEXT(1),
    LOW(2);

    /** What a submission has that names none. */
    public static final Priority DEFAULT = NEXT;

    private final int turn;

    Priority(int turn) {
        this.turn = turn;
    }

    /** What is served first has the lowest. As it stands in the database. */
    public int turn() {
        return turn;
    }

    /** The priority that is served in this turn. */
    public static Priority ofTurn(int turn) {
        for (Priority priority : values()) {
            if (priority.turn == turn) {
                return priority;
            }
        }
        throw new IllegalArgumentException("a turn is one of 0, 1, 2; got " + turn);
    }

    /** How it is written in JSON, and in a fingerprint. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Priority parse(String word) {
        for (Priority priority : values()) {
            if (priority.word().equals(word)) {
                return priority;
            }
        }
        throw new IllegalArgumentException("a priority is one of now, next, low");
    }
}
