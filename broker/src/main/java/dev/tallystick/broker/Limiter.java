package dev.tallystick.broker;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.keys.ScopedKey;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much a member may ask for in a window of time. Counting is atomic, also over many processes, and idempotent: what comes
 * again under the same key, with the same fingerprint and in the same window costs nothing, up to
 * {@link #FREE_REPEATS} times, and from then on as much as anything else.
 *
 * <p>What was counted is not given back when the request is rejected later on. Thread-safe.
 */
public interface Limiter extends AutoCloseable {

    int FREE_REPEATS = 5;

    /** What came of asking. */
    sealed interface Decision {

        /** Go on. */
        record Within() implements Decision {}

        /** Not now; from {@code retryAfter} on the next window is open. */
        record Over(Duration retryAfter) implements Decision {}
    }

    /** How many requests in how long, for each member. */
    record Budget(int requests, Duration window) {

        public static final Budget DEFAULT = new Budget(1_000, Duration.ofSeconds(10));

        private static final Pattern WRITTEN = Pattern.compile("([0-9]{1,9})/([0-9]{1,9})");

        public Budget {
            if (requests < 1 || window.toMillis() < 1) {
                throw new IllegalArgumentException("a budget has at least one request and one millisecond");
            }
        }

        /** As it is written: {@code 1000/10} are 1,000 requests in 10 seconds. */
        public static Budget parse(String text) {
            Matcher written = WRITTEN.matcher(text);
            if (!written.matches()) {
                throw new IllegalArgumentException("a budget is REQUESTS/SECONDS, such as 1000/10, got '" + text + "'");
            }
            return new Budget(
                    Integer.parseInt(written.group(1)), Duration.ofSeconds(Integer.parseInt(written.group(2))));
        }
    }

    Decision consume(ScopedKey key, Fingerprint fingerprint);

    @Override
    default void close() {}

    /** For those who do not limit. */
    Limiter NONE = (key, fingerprint) -> new Decision.Within();
}
