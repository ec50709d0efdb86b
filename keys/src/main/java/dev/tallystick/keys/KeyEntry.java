package dev.tallystick.keys;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import java.time.Instant;
import java.util.Optional;
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
 * @param isErased whether only hashes of the key and the request are kept: {@code fingerprint} is then such a hash
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
        @Nullable Hold hold,
        boolean isErased) {

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
        return fingerprint.equals(isErased ? hidden(key.key(), offered) : offered);
    }

    /** This entry for a request under its key, if that repeats the first one. The answer has the fingerprint of the request. */
    public Optional<KeyEntry> answering(Fingerprint offered) {
        return standsFor(offered) ? Optional.of(with(key, offered, false)) : Optional.empty();
    }

    /** What is kept of the request behind an erased key. It confirms no guess of the request without the key. */
    static Fingerprint hidden(IdempotencyKey key, Fingerprint request) {
        return Fingerprint.of("erased", key.value(), request.hex());
    }

    /** This entry, which was found by the hash of a key. */
    KeyEntry erasedAs(IdempotencyKey wanted) {
        return with(new ScopedKey(key.scope(), wanted), fingerprint, true);
    }

    private KeyEntry with(ScopedKey text, Fingerprint request, boolean erased) {
        return new KeyEntry(
                text,
                keyKind,
                status,
                request,
                destination,
                original,
                response,
                history,
                historyAvailable,
                firstSeen,
                expires,
                hold,
                erased);
    }
}
