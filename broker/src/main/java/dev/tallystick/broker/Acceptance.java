package dev.tallystick.broker;

import dev.tallystick.keys.KeyReuse;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What came of a submission. Each says what is now true in the database. */
public sealed interface Acceptance {

    /** It is durable, with all that belongs to it, and this call or an earlier attempt of the same call made it so. */
    record Accepted(AcceptedMessage message) implements Acceptance {}

    /** It was accepted before under this key. Nothing was written. */
    record Duplicate(AcceptedMessage message) implements Acceptance {}

    /** The key stands for another submission. Nothing was written. */
    record KeyReused(KeyReuse reuse) implements Acceptance {}

    /** Nothing was written and the key is free: the same submission may come again once the cause is gone. */
    record Rejected(Rejection why) implements Acceptance {}

    /** The member has used up its budget. Nothing was written and the key is free. */
    record OverLimit(Duration retryAfter) implements Acceptance {}

    /**
     * The same submission is on its way already and has not come to an end within the configured wait. Whether it is accepted
     * is not known yet: ask again under the same key.
     *
     * @param original the id of what it will make, if it is accepted; null if another broker is at it
     */
    record InProgress(@Nullable UUID original, Duration retryAfter) implements Acceptance {}

    /** So many submissions are on their way that no more can be followed. Nothing was written. */
    record Busy(Duration retryAfter) implements Acceptance {}
}
