package dev.tallystick.core.api;

import dev.tallystick.core.Json;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The work of remote workers: claim it, keep it, report its result. */
public interface WorkApi {

    /** The most work that is claimed at once. */
    int MOST_CLAIMED = 100;

    record ClaimWork(
            @Values(least = 1, most = MOST_CLAIMED, ifMissing = "1") @Nullable
            Integer max,

            @Values(least = 0, most = 60, ifMissing = "0") @Nullable
            Integer waitSeconds) {}

    record ClaimedWork(List<Piece> work, long leaseSeconds) {

        /**
         * A piece of work.
         *
         * @param key for foreign systems: the same for every attempt of this work, different everywhere else
         * @param traceparent the trace context (W3C) of this work; missing if its job came without one
         */
        public record Piece(
                UUID jobId,
                UUID workId,
                long fence,
                String activity,
                String dimension,
                int attempt,
                String key,
                RawJson input,
                @Nullable String traceparent) {}
    }

    record HeldWork(UUID jobId, UUID workId, long fence) {}

    record KeepWork(List<HeldWork> work) {}

    record KeptWork(List<UUID> kept) {}

    /**
     * Either the result of the work, or why it failed.
     *
     * @param stackTrace details beyond the one line; shortened to 16,000 characters
     * @param forGood whether a further attempt is useless
     */
    record WorkResult(
            UUID jobId,
            UUID workId,
            long fence,
            @Nullable Json output,
            @Nullable String error,
            @Nullable String stackTrace,
            @Values(ifMissing = "false") @Nullable Boolean forGood) {}

    record ResultTaken(
            UUID workId,
            @Values(oneOf = {"recorded", "job_closed"}) String status) {}
}
