package dev.tallystick.exchange.signing;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Checks signatures, and remembers the recent signatures of batches that were good: the messages of a batch arrive together, so
 * most checks cost a few hashes. Thread-safe.
 */
public final class SignatureCheck {

    private static final int REMEMBERED = 1_000;

    private record Known(PublicKey key, BatchSignature.Signed signed) {}

    private final Map<Known, Boolean> good = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Known, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };

    public boolean isGood(PublicKey key, byte[] statement, BatchSignature signature) {
        if (!signature.keyId().equals(key.id())) {
            return false;
        }
        BatchSignature.Signed claimed;
        try {
            claimed = signature.claim(statement);
        } catch (IllegalArgumentException e) {
            return false;
        }
        Known known = new Known(key, claimed);
        synchronized (good) {
            if (good.containsKey(known)) {
                return true;
            }
        }
        boolean isGood = claimed.isBy(key);
        if (isGood) {
            synchronized (good) {
                good.put(known, true);
            }
        }
        return isGood;
    }
}
