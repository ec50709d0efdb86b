package dev.tallystick.daemon.outbox;

import dev.tallystick.core.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/** The result of giving the content of a row a new row and a new key. */
public sealed interface Requeue {

    /**
     * What an operator asks for.
     *
     * @param row the id of the old row
     * @param key the new key
     * @param patched what to send instead of the old content; null to send the same
     * @param force whether to do it although the server may have the old one, so that both may take effect
     */
    record Wish(String row, IdempotencyKey key, @Nullable NewRow patched, boolean force) {}

    /** The old row is aborted, the new one waits. */
    record Requeued(String id, IdempotencyKey key) implements Requeue {}

    /** There is no such row. */
    record NotFound() implements Requeue {}

    /** The new key already has a row. Nothing was changed. */
    record KeyUsed(IdempotencyKey key, OutboxState state) implements Requeue {}

    /** The row is in flight, done or aborted. Nothing was changed. */
    record WrongState(OutboxState state) implements Requeue {}

    /** The server may have the row: only force does it. Nothing was changed. */
    record MayHaveArrived(OutboxState state) implements Requeue {}

    /** The content of the row is damaged: it must be sent again under a new key. Nothing was changed. */
    record Damaged() implements Requeue {}

    /** The outbox has reached its size limit. Nothing was changed. */
    record Full() implements Requeue {}
}
