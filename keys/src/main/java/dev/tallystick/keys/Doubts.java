package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows about keys and could not get recorded, because the database went away at the wrong moment. Whoever
 * asks again under such a key first has the doubt cleared. Forgetting a doubt is safe: the key then waits for an operator.
 *
 * <p>Thread-safe. A doubt is taken by one caller only.
 */
final class Doubts {

    static final int MAX = 1_000;

    /** Something that may be in the database or not. */
    sealed interface Doubt {

        Fingerprint fingerprint();
    }

    /** It was asked for, and the handler did not begin. */
    record Unconfirmed(ReserveClaim claim) implements Doubt {

        @Override
        public Fingerprint fingerprint() {
            return claim.fingerprint();
        }
    }

    /** The handler is done with it. */
    record Unrecorded(Fingerprint fingerprint, Settlement settlement) implements Doubt {}

    private final Map<ScopedKey, Doubt> doubts = new LinkedHashMap<>();

    synchronized void remember(ScopedKey key, Doubt doubt) {
        doubts.put(key, doubt);
        if (doubts.size() > MAX) {
            doubts.remove(doubts.keySet().iterator().next());
        }
    }

    /** Hands the doubt over to a caller with the same request; null if there is none. */
    synchronized @Nullable Doubt take(ScopedKey key, Fingerprint fingerprint) {
        Doubt doubt = doubts.get(key);
        return doubt != null && doubt.fingerprint().equals(fingerprint) ? doubts.remove(key) : null;
    }
}
