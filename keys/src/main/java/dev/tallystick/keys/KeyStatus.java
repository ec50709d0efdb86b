package dev.tallystick.keys;

import java.util.Locale;

/** The outcome of the request behind a key. */
public enum KeyStatus {
    /** Reserved; its handler may be running, or may have died. */
    PENDING,
    /** Done. Final. */
    COMMITTED,
    /** Refused by its handler. Final. */
    REJECTED,
    /** Its handler may or may not have done its work. The owner or an operator decides. */
    OUTCOME_UNKNOWN;

    public boolean isFinal() {
        return this == COMMITTED || this == REJECTED;
    }

    String column() {
        return name().toLowerCase(Locale.ROOT);
    }

    static KeyStatus ofColumn(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
