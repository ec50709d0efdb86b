package dev.tallystick.workflow;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How a closed job ended. */
public enum JobOutcome {
    COMPLETED,
    FAILED,
    CANCELLED,
    TIMED_OUT,
    /** The job continued as a new job, and callers waiting for this job wait for the new one; only the new job's end counts. */
    CONTINUED;

    /** Its form in the database and in JSON. */
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
