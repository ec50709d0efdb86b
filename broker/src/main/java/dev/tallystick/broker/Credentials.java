package dev.tallystick.broker;

import java.security.MessageDigest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a token has to fit, and for whom it stands.
 *
 * @param left how long it was still good when it was read, by the database's clock; null for as long as nobody revokes it
 */
record Credentials(byte[] hash, @Nullable Duration left, Member member) {

    /** Takes equally long whatever the difference is. */
    boolean fit(Token token) {
        return MessageDigest.isEqual(hash, token.hash());
    }

    boolean areGoodAfter(Duration sinceRead) {
        return left == null || sinceRead.compareTo(left) < 0;
    }
}
