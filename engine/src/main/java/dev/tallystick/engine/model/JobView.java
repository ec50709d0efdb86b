package dev.tallystick.engine.model;

import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job at the time it was read. */
public record JobView(
        JobId id,
        String mesh,
        String workflow,
        int version,
        int semaphore,
        Optional<JobOutcome> outcome,
        byte @Nullable [] output,
        @Nullable String error,
        Instant createdAt,
        @Nullable Instant closedAt) {

    public boolean wentOn() {
        return outcome.filter(JobOutcome.CONTINUED::equals).isPresent();
    }

    /** How the job ended; only for a closed job. */
    public Closed closed() {
        return new Closed(id, outcome.orElseThrow(), output, error);
    }
}
