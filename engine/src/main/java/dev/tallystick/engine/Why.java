package dev.tallystick.engine;

import java.time.Instant;
import java.util.List;

/**
 * Why a job is where it is.
 *
 * @param state in one sentence
 * @param waits what it waits for, the oldest first; empty for a job that has closed
 */
public record Why(JobId job, String state, List<Wait> waits) {

    public Why {
        waits = List.copyOf(waits);
    }

    /**
     * One thing that a job waits for.
     *
     * @param what the activity, at its place
     * @param since when it was dispatched
     * @param mover what would move it
     */
    public record Wait(String what, Instant since, String mover) {}

    /** All of it, to be read by a person. */
    public String text() {
        StringBuilder text = new StringBuilder("job ").append(job).append(": ").append(state);
        for (Wait wait : waits) {
            text.append("%n  %s, since %s: %s".formatted(wait.what(), wait.since(), wait.mover()));
        }
        return text.toString();
    }
}
