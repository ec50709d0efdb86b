package dev.tallystick.broker.member;

import dev.tallystick.broker.model.Member;
import java.security.MessageDigest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a token must match, and the member it authenticates.
 *
 * @param left how long it was still valid when it was read, by the database's clock; null if it is valid until revoked
 */
record Credentials(byte[] hash, @Nullable Duration left, Member member) {

    /** Compares in constant time. */
    boolean fit(Token token) {
        return MessageDigest.isEqual(hash, token.hash());
    }

    boolean areGoodAfter(Duration sinceRead) {
        return left == null || sinceRead.compareTo(left) < 0;
    }
}
