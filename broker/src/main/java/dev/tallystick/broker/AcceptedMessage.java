package dev.tallystick.broker;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.KeyEntry;
import dev.tallystick.keys.StoredResponse;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

/**
 * What an accepted submission is known by, read from its key: the same in its first answer and in every repeat.
 *
 * @param id of the message; of a message to a workflow, also that of the job
 * @param history of the entry in the history of its destination
 * @param historyAvailable whether that entry can still be read
 * @param answer what the {@link AcceptHook} planned to answer; empty for what starts no job
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

    static AcceptedMessage of(KeyEntry entry) {
        // A job that the library submitted has a key and nothing else; it is its own history.
        UUID history = entry.history() == null ? entry.original() : entry.history();
        return new AcceptedMessage(
                entry.key().key(),
                entry.fingerprint(),
                Objects.requireNonNull(entry.destination(), "what was accepted has a destination"),
                entry.original(),
                history,
                entry.historyAvailable(),
                entry.firstSeen(),
                entry.response() == null ? StoredResponse.EMPTY : entry.response());
    }
}
