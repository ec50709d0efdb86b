package dev.tallystick.engine.view;

import dev.tallystick.workflow.JobId;
import java.time.Instant;
import java.util.List;

/**
 * Explains why a job is in its current state.
 *
 * @param state in one sentence
 * @param waits what it waits for, oldest first and at most {@value #MOST_WAITS}; empty for a closed job
 * @param hasMore whether it waits for more than that
 */
public record Why(JobId job, String state, List<Wait> waits, boolean hasMore) {

    /** A graph may wait at thousands of places, and the oldest of them say enough. */
    static final int MOST_WAITS = 100;

    public Why {
        waits = List.copyOf(waits);
    }

    /**
     * One thing that a job waits for.
     *
     * @param what the activity and its place
     * @param since when it was dispatched
     * @param mover what would let it continue
     */
    public record Wait(String what, Instant since, String mover) {}

    /** The whole explanation for a human reader. */
    public String text() {
        StringBuilder text = new StringBuilder("job ").append(job).append(": ").append(state);
        for (Wait wait : waits) {
            text.append("%n  %s, since %s: %s".formatted(wait.what(), wait.since(), wait.mover()));
        }
        return text.append(hasMore ? "%n  and more".formatted() : "").toString();
    }
}
