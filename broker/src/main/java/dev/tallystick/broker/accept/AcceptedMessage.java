package dev.tallystick.broker.accept;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.StoredResponse;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

/**
 * The identity of an accepted submission, read from its key: the same in the first answer and in every repeat.
 *
 * @param id the ID of the message and, for a message to a workflow, of the job
 * @param history the ID of the entry in its destination's history
 * @param historyAvailable whether that entry can still be read
 * @param answer the answer planned by the {@link AcceptHook}; empty if no job is started
 */
public record AcceptedMessage(
        IdempotencyKey key,
        Fingerprint fingerprint,
        Destination to,
        UUID id,
        UUID history,
        boolean historyAvailable,
        Instant acceptedAt,
        StoredResponse answer) {

    public static AcceptedMessage of(KeyEntry entry) {
        // A job submitted through the library has only a key; it is its own history.
        UUID history = entry.history() == null ? entry.original() : entry.history();
        return new AcceptedMessage(
                entry.key().key(),
                entry.fingerprint(),
                Objects.requireNonNull(entry.destination(), "an accepted message has a destination"),
                entry.original(),
                history,
                entry.historyAvailable(),
                entry.firstSeen(),
                entry.response() == null ? StoredResponse.EMPTY : entry.response());
    }
}
