package dev.tallystick.broker;

import java.security.MessageDigest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a token has to fit, and for whom it stands. */
record Credentials(byte[] hash, @Nullable Instant expires, Member member) {

    /** Takes equally long whatever the difference is. */
    boolean fit(Token token) {
        return MessageDigest.isEqual(hash, token.hash());
    }

    boolean areGoodAt(Instant now) {
        return expires == null || now.isBefore(expires);
    }
}
