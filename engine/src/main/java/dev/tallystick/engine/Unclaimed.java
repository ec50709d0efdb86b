package dev.tallystick.engine;

import java.time.Instant;

/**
 * Jobs that are due and that nobody takes.
 *
 * @param jobs how many, or as many as were counted
 * @param since when the first of them fell due
 */
public record Unclaimed(String workflow, int version, long jobs, Instant since) {

    /** What to do, in one sentence. */
    public String advice() {
        return "%d job(s) of workflow '%s' version %d are due since %s and no process takes them: register that version beside the newer ones until its jobs are done"
                .formatted(jobs, workflow, version, since);
    }
}
