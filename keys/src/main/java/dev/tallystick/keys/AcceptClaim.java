package dev.tallystick.keys;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to bind a key in the accepting transaction.
 *
 * @param original the id of the job or message that this claim creates if the key is free. New for every claim, but kept when
 *     the claim is repeated after a lost reply, so that the claim recognises its own row
 * @param response the part of the first answer that is not in the row's columns
 * @param history the id of the history entry written with it
 */
public record AcceptClaim(
        ScopedKey key,
        Fingerprint fingerprint,
        Destination destination,
        UUID original,
        @Nullable StoredResponse response,
        @Nullable UUID history) {

    public AcceptClaim(ScopedKey key, Fingerprint fingerprint, Destination destination, UUID original) {
        this(key, fingerprint, destination, original, null, null);
    }

    /** The entry created by this claim. */
    KeyEntry bound(Instant firstSeen, Instant expires) {
        return new KeyEntry(
                key,
                KeyKind.ACCEPT,
                KeyStatus.COMMITTED,
                fingerprint,
                destination,
                original,
                response,
                history,
                history != null,
                firstSeen,
                expires,
                null,
                false);
    }
}
