package dev.tallystick.keys;

import dev.tallystick.core.Fingerprint;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Facts about keys that this process could not record, because the database went away at the wrong moment. The next request
 * under such a key first resolves the doubt. Forgetting a doubt is safe: the key then waits for an operator.
 *
 * <p>Thread-safe. Only one caller takes a doubt.
 */
final class UnrecordedVerdicts {

    static final int MAX = 1_000;

    /** A write that may or may not be in the database. */
    sealed interface Doubt {

        Fingerprint fingerprint();
    }

    /** It was requested, and the handler did not begin. */
    record Unconfirmed(ReserveClaim claim) implements Doubt {

        @Override
        public Fingerprint fingerprint() {
            return claim.fingerprint();
        }
    }

    /** The handler has finished. */
    record Unrecorded(Fingerprint fingerprint, Settlement settlement) implements Doubt {}

    private final Map<ScopedKey, Doubt> doubts = new LinkedHashMap<>();

    synchronized void remember(ScopedKey key, Doubt doubt) {
        doubts.put(key, doubt);
        if (doubts.size() > MAX) {
            doubts.remove(doubts.keySet().iterator().next());
        }
    }

    /** Passes the doubt to a caller with the same request; null if there is none. */
    synchronized @Nullable Doubt take(ScopedKey key, Fingerprint fingerprint) {
        Doubt doubt = doubts.get(key);
        return doubt != null && doubt.fingerprint().equals(fingerprint) ? doubts.remove(key) : null;
    }
}
