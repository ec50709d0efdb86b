package dev.tallystick.engine;

import java.util.Locale;

/** How a closed job ended. */
public enum JobOutcome {
    COMPLETED,
    FAILED,
    CANCELLED,
    TIMED_OUT,
    /** It went on as a new job, whose end is what counts; whoever waits for this one waits for that. */
    CONTINUED;

    /** As it stands in the database and in JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static JobOutcome of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
