package dev.tallystick.daemon.outbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a row stops being in flight. */
public sealed interface Settlement {

    OutboxRow row();

    /** The server has it. */
    record Delivered(
            OutboxRow row,
            int attempts,
            String brokerMessageId,
            @Nullable String historyId) implements Settlement {}

    /** It is never sent again. */
    record Dead(OutboxRow row, int attempts, String error) implements Settlement {}

    /**
     * It waits again.
     *
     * @param firstAttemptAt null if no attempt so far can have reached the server
     */
    record Released(OutboxRow row, int attempts, @Nullable Instant firstAttemptAt, Instant nextAttemptAt, String error)
            implements Settlement {}
}
