package dev.tallystick.engine;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

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
        return Arrays.stream(values())
                .filter(outcome -> outcome.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a job ends "
                        + Arrays.stream(values()).map(JobOutcome::text).collect(Collectors.joining(", "))
                        + ", got '" + text + "'"));
    }
}
