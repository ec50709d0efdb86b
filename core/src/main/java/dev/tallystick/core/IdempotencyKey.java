package dev.tallystick.core;

import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a client calls one submission, so that it can repeat it: any printable string of 1 to 255 characters. The same key
 * means the same submission, for ever.
 */
public record IdempotencyKey(String value) {

    public static final int LONGEST = 255;

    private static final char LAST_OF_ASCII = '~';

    // The client id takes all it can: it may contain colons, the other two cannot.
    private static final String QUOTE = "\"";
    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\[\"\\\\])*\"");
    private static final Pattern ESCAPED = Pattern.compile("\\\\([\"\\\\])");
    private static final Pattern TO_ESCAPE = Pattern.compile("[\"\\\\]");

    private static final Pattern MINTED =
            Pattern.compile("(?<client>.+):(?<sequence>0|[1-9][0-9]{0,17}):(?<nonce>[0-9a-f]{16})");

    public IdempotencyKey {
        int length = value.codePointCount(0, value.length());
        if (length < 1 || length > LONGEST) {
            throw new IllegalArgumentException("a key has 1 to " + LONGEST + " characters, got " + length);
        }
        if (!value.codePoints().allMatch(IdempotencyKey::isPrintable)) {
            throw new IllegalArgumentException("a key has printable characters only");
        }
    }

    /**
     * The key in the header {@code Idempotency-Key}: bare, or as a quoted string of structured fields (RFC 8941), with
     * backslashes before quotes and backslashes. {@code k} and {@code "k"} are one key.
     *
     * @throws IllegalArgumentException if it begins with a quote and is no quoted string, or is no key
     */
    public static IdempotencyKey ofHeader(String header) {
        if (!header.startsWith(QUOTE)) {
            return new IdempotencyKey(header);
        }
        if (!QUOTED.matcher(header).matches()) {
            throw new IllegalArgumentException("a key that begins with a quote also ends with one;"
                    + " in between, put a backslash before each quote and backslash");
        }
        return new IdempotencyKey(
                ESCAPED.matcher(header.substring(1, header.length() - 1)).replaceAll("$1"));
    }

    /** What {@link #ofHeader} reads as this key: bare where that is possible. */
    public String header() {
        boolean bare = !value.startsWith(QUOTE) && value.equals(value.strip());
        return bare ? value : QUOTE + TO_ESCAPE.matcher(value).replaceAll("\\\\$0") + QUOTE;
    }

    /** Whether a header can carry it: beyond ASCII different characters arrive as one and the same, and so would keys. */
    public static boolean fitsHeader(String key) {
        return key.chars().allMatch(c -> c <= LAST_OF_ASCII);
    }

    /** A new key of the form {@code client:sequence:nonce}; the nonce keeps a client that lost its counter from reusing one. */
    public static IdempotencyKey mint(String clientId, long sequence, RandomGenerator random) {
        byte[] nonce = new byte[Minted.NONCE_BYTES];
        random.nextBytes(nonce);
        return new Minted(clientId, sequence, HexFormat.of().formatHex(nonce)).key();
    }

    /** The parts of a key that was minted; empty for a key that a client made up in its own way. */
    public Optional<Minted> minted() {
        Matcher parts = MINTED.matcher(value);
        return parts.matches()
                ? Optional.of(new Minted(
                        parts.group("client"), Long.parseLong(parts.group("sequence")), parts.group("nonce")))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return value;
    }

    /**
     * What a minted key is made of.
     *
     * @param clientId stable for one client, also across restarts; it may contain colons
     * @param sequence rises by one with each new submission, and stays with its retries
     * @param nonce 8 random bytes in lower-case hex
     */
    public record Minted(String clientId, long sequence, String nonce) {

        public static final long LARGEST_SEQUENCE = 999_999_999_999_999_999L;

        static final int NONCE_BYTES = 8;

        private static final Pattern NONCE = Pattern.compile("[0-9a-f]{16}");

        public Minted {
            if (clientId.isEmpty()) {
                throw new IllegalArgumentException("a minted key begins with a client id");
            }
            if (sequence < 0 || sequence > LARGEST_SEQUENCE) {
                throw new IllegalArgumentException("a sequence has 1 to 18 digits, got " + sequence);
            }
            if (!NONCE.matcher(nonce).matches()) {
                throw new IllegalArgumentException("a nonce is 8 bytes in lower-case hex");
            }
        }

        public IdempotencyKey key() {
            return new IdempotencyKey(clientId + ":" + sequence + ":" + nonce);
        }
    }

    // Not by "is assigned": that changes with the JDK, and a key that one server takes must not be refused by the next.
    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
