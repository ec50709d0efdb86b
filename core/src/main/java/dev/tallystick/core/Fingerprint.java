package dev.tallystick.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The SHA-256 of the request behind a key. Reusing a key with another fingerprint is a client error, and we report it.
 * Computed once, when a submission is accepted, and stored.
 *
 * <p>Version 1 hashes these fields in UTF-8, separated by zero bytes, with none at the end:
 *
 * <pre>
 *   1 · destination kind · destination reference · reply-to or nothing · priority
 *     · meta as canonical JSON, nothing if empty · mentions in order, joined by commas
 *     · SHA-256 of the body in lower-case hex, with the letter j before it if the body is JSON
 * </pre>
 *
 * <p>Mentions are ordered by UTF-16 code units, like the names of canonical JSON. No field contains a zero byte and no mention
 * contains a comma, and a digest contains no {@code j}, so different envelopes never produce the same bytes: not even a JSON
 * document and a text with the same characters.
 */
public record Fingerprint(String hex) {

    private static final String ENVELOPE_VERSION = "1";
    private static final Pattern SHA_256_HEX = Pattern.compile("[0-9a-f]{64}");
    private static final int PREFIX_BYTES = 8;

    public Fingerprint {
        if (!SHA_256_HEX.matcher(hex).matches()) {
            throw new IllegalArgumentException("a fingerprint is 64 lower-case hex digits");
        }
    }

    public static Fingerprint of(Envelope envelope) {
        String replyTo = envelope.replyTo();
        List<String> fields = List.of(
                ENVELOPE_VERSION,
                envelope.to().kind().word(),
                envelope.to().reference(),
                replyTo == null ? "" : replyTo,
                envelope.priority().word(),
                envelope.meta().members().isEmpty() ? "" : envelope.meta().canonical(),
                String.join(",", envelope.mentions().stream().sorted().toList()),
                digest(envelope.body()));
        return new Fingerprint(sha256Hex(String.join("\0", fields).getBytes(StandardCharsets.UTF_8)));
    }

    private static String digest(Envelope.Body body) {
        String hex = sha256Hex(body.bytes());
        return switch (body) {
            case Envelope.Body.Text text -> hex;
            case Envelope.Body.Document document -> "j" + hex;
        };
    }

    /**
     * The fingerprint of a request without an envelope: a verb and its object. A verb is a word, not a number, so it never
     * equals the fingerprint of an envelope.
     */
    public static Fingerprint of(String verb, String... about) {
        String fields = verb + "\0" + String.join("\0", about);
        requireHashable("a verb", verb);
        for (String each : about) {
            requireHashable("what a " + verb + " is about", each);
        }
        return new Fingerprint(sha256Hex(fields.getBytes(StandardCharsets.UTF_8)));
    }

    /** From the 32 bytes stored in a database. */
    public static Fingerprint of(byte[] bytes) {
        return new Fingerprint(HexFormat.of().formatHex(bytes));
    }

    public byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }

    /** The first 8 bytes in hex, as errors show it: enough to see that two fingerprints differ. */
    public String prefix() {
        return hex.substring(0, 2 * PREFIX_BYTES);
    }

    @Override
    public String toString() {
        return hex;
    }

    /** Refuses text that would give two different envelopes the same hash. */
    static void requireHashable(String what, String field) {
        if (field.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " must not contain a NUL character");
        }
        if (Unicode.hasLoneSurrogate(field)) {
            throw new IllegalArgumentException(what + " must not contain a lone surrogate");
        }
    }

    private static String sha256Hex(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
