package dev.tallystick.keys;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to bind a key in the accepting transaction.
 *
 * @param original the id of the job or message that this claim makes if the key is free. New for every claim, and kept when
 *     the claim is repeated after a lost reply: that is how the claim knows its own row again
 * @param response what the first answer needs beyond the columns of the row
 * @param history the id of the history entry that is written along
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

    /** The entry that this claim has made. */
    KeyEntry bound(Instant firstSeen, Instant expires) {
        return new KeyEntry(
                key,
                Door.ACCEPT,
                KeyStatus.COMMITTED,
                fingerprint,
                destination,
                original,
                response,
                history,
                history != null,
                firstSeen,
                expires,
                null);
    }
}
