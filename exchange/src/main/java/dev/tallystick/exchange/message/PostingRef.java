package dev.tallystick.exchange.message;

import dev.tallystick.core.Fingerprint;

/**
 * What every message says about its posting, and what the producer's signature covers.
 *
 * @param fingerprint the SHA-256 of the posting's content
 * @param checkpoint the newest checkpoint of the producer's sealed log; empty if it has none
 */
public record PostingRef(
        Participant producer, Participant consumer, MessageId id, Fingerprint fingerprint, String checkpoint) {

    static final int MAX_CHECKPOINT = 2_000;

    public PostingRef {
        if (checkpoint.length() > MAX_CHECKPOINT) {
            throw new IllegalArgumentException("a checkpoint has at most " + MAX_CHECKPOINT + " characters");
        }
    }
}
