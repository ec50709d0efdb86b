package dev.tallystick.keys;

import java.util.Locale;

/** What came of the request that a key stands for. */
public enum KeyStatus {
    /** Reserved; its handler may be running, or may have died. */
    PENDING,
    /** Done. Final. */
    COMMITTED,
    /** Refused by its handler. Final. */
    REJECTED,
    /** Its handler may have done its work, and may not have. The owner or an operator will say. */
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
