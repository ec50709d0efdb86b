package dev.tallystick.daemon.outbox;

import dev.tallystick.core.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/** The outbox's answer to a send. Each state of an earlier row with the same key has its own. */
public sealed interface Acceptance {

    IdempotencyKey key();

    /** The row is on disk, now or since an earlier send with the same key, and waits. */
    record Queued(IdempotencyKey key) implements Acceptance {}

    /** An earlier send with the same key is being delivered. Nothing was written. */
    record Inflight(IdempotencyKey key) implements Acceptance {}

    /** An earlier send with the same key was delivered. Nothing was written. */
    record Duplicate(
            IdempotencyKey key,
            String brokerMessageId,
            @Nullable String historyId) implements Acceptance {}

    /**
     * The key belongs to an earlier row that differs, or that is dead or aborted. Nothing was written.
     *
     * @param matches whether the earlier row has the same fingerprint
     * @param bound the prefix of the earlier row's fingerprint
     * @param offered the prefix of this send's fingerprint
     * @param brokerMessageId of a delivered row; null otherwise
     * @param reason why a dead row with the same fingerprint is dead; null otherwise
     */
    record Conflict(
            IdempotencyKey key,
            OutboxState state,
            boolean matches,
            String bound,
            String offered,
            @Nullable String brokerMessageId,
            @Nullable String reason)
            implements Acceptance {

        /** Such as {@code outbox_done_fingerprint_mismatch}. */
        public String word() {
            return "outbox_" + state.word() + "_fingerprint_" + (matches ? "match" : "mismatch");
        }
    }

    /** The outbox has reached its size limit. Nothing was written. */
    record Full(IdempotencyKey key) implements Acceptance {}
}
