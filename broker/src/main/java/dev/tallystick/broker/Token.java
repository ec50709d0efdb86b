package dev.tallystick.broker;

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
 * What a member shows to prove who it is, written {@code tally_ID_SECRET}. The id may be seen by anybody who may see the member;
 * of the secret, 256 random bits, the database has the SHA-256 alone.
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

    /** Empty if this is not the form of a token. */
    public static Optional<Token> parse(String text) {
        Matcher parts = FORM.matcher(text);
        return parts.matches() ? Optional.of(new Token(parts.group(1), parts.group(2))) : Optional.empty();
    }

    /** By which the token is listed, rotated and revoked. */
    public String id() {
        return id;
    }

    /** All of it, for the one to whom it is issued. */
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

    /** Without the secret, so that no log has it. */
    @Override
    public String toString() {
        return "tally_" + id + "_…";
    }
}
