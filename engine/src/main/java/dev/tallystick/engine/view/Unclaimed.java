package dev.tallystick.engine.view;

import java.time.Instant;

/**
 * Due jobs that no process takes.
 *
 * @param jobs how many, up to the counting limit
 * @param since when the first of them fell due
 */
public record Unclaimed(String workflow, int version, long jobs, Instant since) {

    /** What to do, in one sentence. */
    public String advice() {
        return "%d job(s) of workflow '%s' version %d are due since %s and no process takes them: register that version beside the newer ones until its jobs are done"
                .formatted(jobs, workflow, version, since);
    }
}
