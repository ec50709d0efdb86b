package dev.tallystick.log.receipt;

import java.util.function.Function;

/** What a verifier found: what the document proves, or why it proves nothing. */
public sealed interface Verdict<T> {

    /** Everything verifies; {@code facts} are proven under the verifier's trust. */
    record Proven<T>(T facts) implements Verdict<T> {}

    /** The document proves nothing. */
    record Refused<T>(String reason) implements Verdict<T> {}

    /** Runs a check that refuses by {@link IllegalArgumentException}. */
    static <T> Verdict<T> of(Function<byte[], T> check, byte[] document) {
        try {
            return new Proven<>(check.apply(document));
        } catch (IllegalArgumentException e) {
            String reason = e.getMessage();
            return new Refused<>(reason == null ? "malformed" : reason);
        }
    }
}
