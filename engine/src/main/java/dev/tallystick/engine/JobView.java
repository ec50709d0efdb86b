package dev.tallystick.engine;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job at the time it was read. */
record JobView(
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

    boolean wentOn() {
        return outcome.filter(JobOutcome.CONTINUED::equals).isPresent();
    }

    /** How the job ended; only for a closed job. */
    Closed closed() {
        return new Closed(id, outcome.orElseThrow(), output, error);
    }
}
