package dev.tallystick.broker.member;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A member's credential, written {@code tally_ID_SECRET}. Anyone who may see the member may see the ID; of the secret, 256
 * random bits, the database stores only the SHA-256.
 */
public final class Token {

    private static final Pattern FORM = Pattern.compile("tally_([0-9a-f]{16})_([A-Za-z0-9_-]{43})");
    private static final int ID_BYTES = 8;
    private static final int SECRET_BYTES = 32;

    private final String id;
    private final String secret;

    private Token(String id, String secret) {
        this.id = id;
        this.secret = secret;
    }

    /** A new token. Pass a {@link java.security.SecureRandom}. */
    public static Token mint(RandomGenerator random) {
        byte[] id = new byte[ID_BYTES];
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(id);
        random.nextBytes(secret);
        return new Token(
                HexFormat.of().formatHex(id),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** Empty if the text does not have the form of a token. */
    public static Optional<Token> parse(String text) {
        Matcher parts = FORM.matcher(text);
        return parts.matches() ? Optional.of(new Token(parts.group(1), parts.group(2))) : Optional.empty();
    }

    /** Identifies the token to list, rotate or revoke it. */
    public String id() {
        return id;
    }

    /** The complete token, for the member it is issued to. */
    public String reveal() {
        return "tally_" + id + "_" + secret;
    }

    byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Without the secret, so that it never appears in a log. */
    @Override
    public String toString() {
        return "tally_" + id + "_…";
    }
}
