package dev.tallystick.log.note;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;

/**
 * One signature line of a note. Unverified: {@link SignedNote} verifies it.
 *
 * @param name the name of the key
 * @param keyId the id of the key
 * @param signature the bytes after the id; a cosignature's begin with its time
 */
public record NoteSignature(String name, int keyId, byte[] signature) {

    private static final String DASH = "— ";
    private static final int LONGEST_SIGNATURE = 8_192;

    public NoteSignature {
        VerifierKey.requireName(name);
        if (signature.length == 0 || signature.length > LONGEST_SIGNATURE) {
            throw new IllegalArgumentException("a signature of " + signature.length + " bytes");
        }
        signature = signature.clone();
    }

    /** Parses a line without its line end. */
    public static NoteSignature parse(String line) {
        int space = line.lastIndexOf(' ');
        if (!line.startsWith(DASH) || space <= DASH.length() - 1) {
            throw new IllegalArgumentException("a signature is one line '— name signature'");
        }
        String base64 = line.substring(space + 1);
        byte[] bytes = Base64.getDecoder().decode(base64);
        if (bytes.length <= Integer.BYTES) {
            throw new IllegalArgumentException("a signature is too short for the id of its key");
        }
        NoteSignature signature = new NoteSignature(
                line.substring(DASH.length(), space),
                ByteBuffer.wrap(bytes).getInt(),
                Arrays.copyOfRange(bytes, Integer.BYTES, bytes.length));
        if (!signature.line().equals(line)) {
            throw new IllegalArgumentException("a signature in other than its usual Base64");
        }
        return signature;
    }

    /** The line, without its line end. */
    public String line() {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES + signature.length)
                .putInt(keyId)
                .put(signature)
                .array();
        return DASH + name + " " + Base64.getEncoder().encodeToString(bytes);
    }

    boolean isBy(VerifierKey key) {
        return name.equals(key.name()) && keyId == key.id();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NoteSignature that && line().equals(that.line());
    }

    @Override
    public int hashCode() {
        return line().hashCode();
    }

    @Override
    public String toString() {
        return line();
    }
}
