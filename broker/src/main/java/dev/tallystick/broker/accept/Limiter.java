package dev.tallystick.broker.accept;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits the requests of a member, and of a mesh, per window of time. A large body costs more than one request. Counting is
 * atomic, even across processes, and idempotent: a repeat with the same key and fingerprint in the same window is free, up to
 * {@link #FREE_REPEATS} times, and then costs as much as any request.
 *
 * <p>The budget is not refunded when the request is rejected later. Thread-safe.
 */
public interface Limiter extends AutoCloseable {

    int FREE_REPEATS = 5;

    /** This many bytes are included in the cost of a request; each further block of this size costs one more. */
    int BYTES_OF_ONE = 64 * 1024;

    /** The limiter's decision. */
    sealed interface Decision {

        /** The request may proceed. */
        record Within() implements Decision {}

        /** Not now; the next window opens after {@code retryAfter}. */
        record Over(Duration retryAfter) implements Decision {}
    }

    /** The number of requests per window, for each member and for all members of a mesh together. */
    record Budget(int requests, Duration window, int requestsOfMesh) {

        public static final Budget DEFAULT = new Budget(1_000, Duration.ofSeconds(10));

        private static final int USUAL_SHARE = 10;
        private static final Pattern WRITTEN = Pattern.compile("([0-9]{1,9})/([0-9]{1,9})(?:/([0-9]{1,9}))?");

        public Budget {
            if (requests < 1 || window.toMillis() < 1) {
                throw new IllegalArgumentException("a budget must have at least one request and one millisecond");
            }
            if (requestsOfMesh < requests) {
                throw new IllegalArgumentException("a mesh's budget must not be less than a member's");
            }
        }

        /** A budget in which a mesh has as much as ten members. */
        public Budget(int requests, Duration window) {
            this(requests, window, (int) Math.min(Integer.MAX_VALUE, (long) USUAL_SHARE * requests));
        }

        /** Parses {@code 1000/10}, 1,000 requests in 10 seconds, or {@code 1000/10/5000}, with 5,000 for a mesh. */
        public static Budget parse(String text) {
            Matcher written = WRITTEN.matcher(text);
            if (!written.matches()) {
                throw new IllegalArgumentException(
                        "a budget must be REQUESTS/SECONDS or REQUESTS/SECONDS/REQUESTS_OF_A_MESH, such as 1000/10, got '"
                                + text + "'");
            }
            int requests = Integer.parseInt(written.group(1));
            Duration window = Duration.ofSeconds(Integer.parseInt(written.group(2)));
            String ofMesh = written.group(3);
            return ofMesh == null
                    ? new Budget(requests, window)
                    : new Budget(requests, window, Integer.parseInt(ofMesh));
        }

        /** The cost of a request; never more than the whole budget. */
        int cost(int bytes) {
            return Math.min(requests, 1 + bytes / BYTES_OF_ONE);
        }
    }

    /**
     * Counts a request, unless it is a free repeat.
     *
     * @param bytes the size of the request's body
     */
    Decision consume(ScopedKey key, Fingerprint fingerprint, int bytes);

    default Decision consume(ScopedKey key, Fingerprint fingerprint) {
        return consume(key, fingerprint, 0);
    }

    @Override
    default void close() {}

    /** No limits. */
    Limiter NONE = (key, fingerprint, bytes) -> new Decision.Within();
}
