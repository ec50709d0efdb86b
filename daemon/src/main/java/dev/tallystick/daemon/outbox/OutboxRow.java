package dev.tallystick.daemon.outbox;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One row of the outbox.
 *
 * @param position its place in the order of acceptance
 * @param content what to send; null once it has been dropped
 * @param firstAttemptAt when the first attempt began that may have reached the server; null if none has
 * @param lastError a code, a colon, and what went wrong; null if nothing did
 * @param brokerMessageId the message's id on the server; null unless it is done
 * @param supersededBy the id of the row that replaces it; null unless it is aborted
 * @param isDamaged whether its content differs from what was accepted: the file was damaged
 */
public record OutboxRow(
        long position,
        String id,
        IdempotencyKey key,
        Fingerprint fingerprint,
        Destination to,
        @Nullable Content content,
        OutboxState state,
        Instant enqueuedAt,
        int attempts,
        @Nullable Instant firstAttemptAt,
        Instant nextAttemptAt,
        @Nullable String lastError,
        @Nullable Instant deliveredAt,
        @Nullable String brokerMessageId,
        @Nullable String historyId,
        @Nullable Instant abortedAt,
        @Nullable String abortedBy,
        @Nullable String supersededBy,
        boolean isDamaged) {

    /** Begins the {@link #lastError()} of rows of which it is unknown whether the server has them. */
    public static final String OUTCOME_UNKNOWN = "outcome_unknown";

    /**
     * What is sent.
     *
     * @param payload canonical JSON, as {@code POST /v1/messages} takes it
     * @param options of a job: canonical JSON with version, not_before and attributes; null for none
     * @param traceParent the W3C trace context of the caller; null for none
     */
    public record Content(
            String payload,
            @Nullable String options,
            @Nullable String traceParent) {}

    /** Whether the server may have it although it is not done: then a new row with the same content may double it. */
    public boolean mayHaveArrived() {
        return switch (state) {
            case PENDING -> firstAttemptAt != null;
            case DEAD -> lastError != null && lastError.startsWith(OUTCOME_UNKNOWN);
            case INFLIGHT, DONE, ABORTED -> true;
        };
    }
}
