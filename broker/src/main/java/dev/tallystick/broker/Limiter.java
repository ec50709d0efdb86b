package dev.tallystick.broker;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much a member, and a mesh, may ask for in a window of time. A request with a large body costs more than one. Counting is atomic, also over many processes, and idempotent: what comes
 * again under the same key, with the same fingerprint and in the same window costs nothing, up to
 * {@link #FREE_REPEATS} times, and from then on as much as anything else.
 *
 * <p>What was counted is not given back when the request is rejected later on. Thread-safe.
 */
public interface Limiter extends AutoCloseable {

    int FREE_REPEATS = 5;

    /** So many bytes are covered by the cost of a request, and so many more cost one more. */
    int BYTES_OF_ONE = 64 * 1024;

    /** What came of asking. */
    sealed interface Decision {

        /** Go on. */
        record Within() implements Decision {}

        /** Not now; from {@code retryAfter} on the next window is open. */
        record Over(Duration retryAfter) implements Decision {}
    }

    /** How many requests in how long, for each member, and for all members of a mesh together. */
    record Budget(int requests, Duration window, int requestsOfMesh) {

        public static final Budget DEFAULT = new Budget(1_000, Duration.ofSeconds(10));

        private static final int USUAL_SHARE = 10;
        private static final Pattern WRITTEN = Pattern.compile("([0-9]{1,9})/([0-9]{1,9})(?:/([0-9]{1,9}))?");

        public Budget {
            if (requests < 1 || window.toMillis() < 1) {
                throw new IllegalArgumentException("a budget has at least one request and one millisecond");
            }
            if (requestsOfMesh < requests) {
                throw new IllegalArgumentException("the budget of a mesh is no less than that of a member");
            }
        }

        /** One where a mesh has as much as ten members. */
        public Budget(int requests, Duration window) {
            this(requests, window, (int) Math.min(Integer.MAX_VALUE, (long) USUAL_SHARE * requests));
        }

        /** As it is written: {@code 1000/10} are 1,000 requests in 10 seconds, {@code 1000/10/5000} 5,000 for a mesh. */
        public static Budget parse(String text) {
            Matcher written = WRITTEN.matcher(text);
            if (!written.matches()) {
                throw new IllegalArgumentException(
                        "a budget is REQUESTS/SECONDS or REQUESTS/SECONDS/REQUESTS_OF_A_MESH, such as 1000/10, got '"
                                + text + "'");
            }
            int requests = Integer.parseInt(written.group(1));
            Duration window = Duration.ofSeconds(Integer.parseInt(written.group(2)));
            String ofMesh = written.group(3);
            return ofMesh == null
                    ? new Budget(requests, window)
                    : new Budget(requests, window, Integer.parseInt(ofMesh));
        }

        /** What a request costs; never more than there is. */
        int cost(int bytes) {
            return Math.min(requests, 1 + bytes / BYTES_OF_ONE);
        }
    }

    /**
     * Counts a request, unless it is a free repeat.
     *
     * @param bytes of the request's body
     */
    Decision consume(ScopedKey key, Fingerprint fingerprint, int bytes);

    default Decision consume(ScopedKey key, Fingerprint fingerprint) {
        return consume(key, fingerprint, 0);
    }

    @Override
    default void close() {}

    /** For those who do not limit. */
    Limiter NONE = (key, fingerprint, bytes) -> new Decision.Within();
}
