package dev.tallystick.broker.accept;

import dev.tallystick.keys.KeyReuse;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The result of a submission: what is now true in the database. */
public sealed interface Acceptance {

    /** The message is durable with everything that belongs to it, by this call or an earlier attempt of it. */
    record Accepted(AcceptedMessage message) implements Acceptance {}

    /** The message was accepted before under this key. Nothing was written. */
    record Duplicate(AcceptedMessage message) implements Acceptance {}

    /** The key belongs to another submission. Nothing was written. */
    record KeyReused(KeyReuse reuse) implements Acceptance {}

    /** Nothing was written and the key is free: repeat the submission once the cause is gone. */
    record Rejected(Rejection why) implements Acceptance {}

    /** The member has used up its budget. Nothing was written and the key is free. */
    record OverLimit(Duration retryAfter) implements Acceptance {}

    /**
     * The same submission is already being processed and did not finish within the configured wait. Whether it is accepted is
     * not known yet: ask again under the same key.
     *
     * @param original the ID it will get if it is accepted; null if another broker is processing it
     */
    record InProgress(@Nullable UUID original, Duration retryAfter) implements Acceptance {}

    /** Too many submissions are being processed to track another. Nothing was written. */
    record Busy(Duration retryAfter) implements Acceptance {}
}
