package dev.tallystick.engine;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job as it stood when it was read. */
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

    /** How it ended; only for a job that has. */
    Closed closed() {
        return new Closed(id, outcome.orElseThrow(), output, error);
    }
}
