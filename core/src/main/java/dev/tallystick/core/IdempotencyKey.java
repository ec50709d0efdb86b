package dev.tallystick.core;

import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A client's name for one submission, so that the client can repeat it: any printable string of 1 to 255 characters. The same
 * key means the same submission, for ever.
 */
public record IdempotencyKey(String value) {

    public static final int LONGEST = 255;

    private static final char LAST_OF_ASCII = '~';

    private static final String QUOTE = "\"";
    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\[\"\\\\])*\"");
    private static final Pattern ESCAPED = Pattern.compile("\\\\([\"\\\\])");
    private static final Pattern TO_ESCAPE = Pattern.compile("[\"\\\\]");

    // The client id is greedy: it may contain colons, the other two parts cannot.
    private static final Pattern MINTED =
            Pattern.compile("(?<client>.+):(?<sequence>0|[1-9][0-9]{0,17}):(?<nonce>[0-9a-f]{16})");

    public IdempotencyKey {
        int length = value.codePointCount(0, value.length());
        if (length < 1 || length > LONGEST) {
            throw new IllegalArgumentException("a key must have 1 to " + LONGEST + " characters, got " + length);
        }
        if (!value.codePoints().allMatch(Unicode::isPrintable)) {
            throw new IllegalArgumentException("a key must contain only printable characters");
        }
    }

    /**
     * The key in the header {@code Idempotency-Key}: bare, or a quoted string (RFC 8941) that escapes quotes and backslashes
     * with a backslash. {@code k} and {@code "k"} are the same key.
     *
     * @throws IllegalArgumentException if it begins with a quote but is not a valid quoted string, or if it is not a valid key
     */
    public static IdempotencyKey ofHeader(String header) {
        if (!header.startsWith(QUOTE)) {
            return new IdempotencyKey(header);
        }
        if (!QUOTED.matcher(header).matches()) {
            throw new IllegalArgumentException("a key that begins with a quote must end with one;"
                    + " escape each quote and backslash inside with a backslash");
        }
        return new IdempotencyKey(
                ESCAPED.matcher(header.substring(1, header.length() - 1)).replaceAll("$1"));
    }

    /** The header that {@link #ofHeader} parses as this key: bare where possible. */
    public String header() {
        boolean bare = !value.startsWith(QUOTE) && value.equals(value.strip());
        return bare ? value : QUOTE + TO_ESCAPE.matcher(value).replaceAll("\\\\$0") + QUOTE;
    }

    /**
     * Whether a header can carry this key. Beyond ASCII, different characters may arrive as the same one, and keys would
     * collide.
     */
    public static boolean fitsHeader(String key) {
        return key.chars().allMatch(c -> c <= LAST_OF_ASCII);
    }

    /** A new key of the form {@code client:sequence:nonce}; the nonce makes keys unique even if a client loses its counter. */
    public static IdempotencyKey mint(String clientId, long sequence, RandomGenerator random) {
        byte[] nonce = new byte[Minted.NONCE_BYTES];
        random.nextBytes(nonce);
        return new Minted(clientId, sequence, HexFormat.of().formatHex(nonce)).key();
    }

    /** The parts of a minted key; empty for a key in a client's own format. */
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
     * The parts of a minted key.
     *
     * @param clientId stable for one client, even across restarts; may contain colons
     * @param sequence increases by one with each new submission; retries keep it
     * @param nonce 8 random bytes in lower-case hex
     */
    public record Minted(String clientId, long sequence, String nonce) {

        public static final long LARGEST_SEQUENCE = 999_999_999_999_999_999L;

        static final int NONCE_BYTES = 8;

        private static final Pattern NONCE = Pattern.compile("[0-9a-f]{16}");

        public Minted {
            if (clientId.isEmpty()) {
                throw new IllegalArgumentException("a minted key must begin with a client id");
            }
            if (sequence < 0 || sequence > LARGEST_SEQUENCE) {
                throw new IllegalArgumentException("a sequence must have 1 to 18 digits, got " + sequence);
            }
            if (!NONCE.matcher(nonce).matches()) {
                throw new IllegalArgumentException("a nonce is 16 lower-case hex digits");
            }
        }

        public IdempotencyKey key() {
            return new IdempotencyKey(clientId + ":" + sequence + ":" + nonce);
        }
    }
}
