package dev.tallystick.daemon.outbox;

import java.util.Locale;

/** The state of a row in the outbox. */
public enum OutboxState {
    /** Waits for its turn, or for its next attempt. */
    PENDING,
    /** Being sent; its outcome is not recorded yet. */
    INFLIGHT,
    /** The server has accepted it. */
    DONE,
    /** It will never be sent again. */
    DEAD,
    /** An operator replaced it by another row. */
    ABORTED;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static OutboxState parse(String word) {
        for (OutboxState state : values()) {
            if (state.word().equals(word)) {
                return state;
            }
        }
        throw new IllegalArgumentException("a state is pending, inflight, done, dead or aborted, not '" + word + "'");
    }
}
