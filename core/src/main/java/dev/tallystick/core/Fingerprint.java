package dev.tallystick.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The SHA-256 of what a key stands for. A key that comes again with another fingerprint is a client's mistake, and is told
 * so. Computed once, when a submission is accepted, and kept.
 *
 * <p>Version 1 hashes these fields in UTF-8, with a zero byte between each two and none at the end:
 *
 * <pre>
 *   1 · destination kind · destination reference · reply-to or nothing · priority
 *     · meta as canonical JSON, nothing if empty · mentions in order, joined by commas
 *     · SHA-256 of the body in lower-case hex, with the letter j before it if the body is JSON
 * </pre>
 *
 * <p>Mentions are ordered by UTF-16 code units, like the names of canonical JSON. No field contains a zero byte and no mention
 * a comma, and a digest has no {@code j}, so no two envelopes
 * are written alike: not even a JSON document and the text that it is written in.
 */
public record Fingerprint(String hex) {

    private static final String ENVELOPE_VERSION = "1";
    private static final Pattern SHA_256_HEX = Pattern.compile("[0-9a-f]{64}");
    private static final int PREFIX_BYTES = 8;

    public Fingerprint {
        if (!SHA_256_HEX.matcher(hex).matches()) {
            throw new IllegalArgumentException("a fingerprint is 32 bytes in lower-case hex");
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
     * Of a request that has no envelope: a verb, and what it is said about. A verb is a word and no number, so no such request
     * has the fingerprint of an envelope.
     */
    public static Fingerprint of(String verb, String... about) {
        String fields = verb + "\0" + String.join("\0", about);
        requireHashable("a verb", verb);
        for (String each : about) {
            requireHashable("what a " + verb + " is about", each);
        }
        return new Fingerprint(sha256Hex(fields.getBytes(StandardCharsets.UTF_8)));
    }

    /** From the 32 bytes that a database keeps. */
    public static Fingerprint of(byte[] bytes) {
        return new Fingerprint(HexFormat.of().formatHex(bytes));
    }

    public byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }

    /** The first 8 bytes in hex: enough to see that two differ, and what an error shows. */
    public String prefix() {
        return hex.substring(0, 2 * PREFIX_BYTES);
    }

    @Override
    public String toString() {
        return hex;
    }

    /** Refuses what would make two different envelopes hash alike. */
    static void requireHashable(String what, String field) {
        if (field.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " has no NUL character");
        }
        if (Unicode.hasLoneSurrogate(field)) {
            throw new IllegalArgumentException(what + " has no half of a surrogate pair");
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
