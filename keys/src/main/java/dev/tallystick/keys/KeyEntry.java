package dev.tallystick.keys;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row of the key ledger, as read.
 *
 * @param destination null for {@link KeyKind#RESERVE}
 * @param original the job or message that the key created; for {@link KeyKind#RESERVE}, the reservation
 * @param historyAvailable whether the history entry can still be read
 * @param expires null until the status is final
 * @param hold who may settle it; null for {@link KeyKind#ACCEPT}
 */
public record KeyEntry(
        ScopedKey key,
        KeyKind keyKind,
        KeyStatus status,
        Fingerprint fingerprint,
        @Nullable Destination destination,
        UUID original,
        @Nullable StoredResponse response,
        @Nullable UUID history,
        boolean historyAvailable,
        Instant firstSeen,
        @Nullable Instant expires,
        @Nullable Hold hold) {

    /**
     * The reservation of an entry.
     *
     * @param transactional whether the handler's effect and its answer share a transaction, so that a pending entry proves
     *     that there is no effect
     */
    public record Hold(KeyOwner owner, long fence, boolean transactional) {}

    /** The credentials with which its owner settles it. For {@link KeyKind#RESERVE} only. */
    public Reservation reservation() {
        if (hold == null) {
            throw new IllegalStateException(key + " was accepted, not reserved");
        }
        return new Reservation(key, original, hold.owner(), hold.fence());
    }

    boolean isTransactional() {
        return hold != null && hold.transactional();
    }

    boolean standsFor(Fingerprint offered) {
        return fingerprint.equals(offered);
    }
}
