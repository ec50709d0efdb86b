package dev.tallystick.ledger.verifier.git;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Digests, and their text. */
public final class Hashes {

    // Looking an algorithm up takes longer than most digests that we make with it; a copy takes next to nothing.
    private static final MessageDigest SHA_1 = lookUp("SHA-1");
    private static final MessageDigest SHA_256 = lookUp("SHA-256");
    private static final MessageDigest SHA_512 = lookUp("SHA-512");

    private Hashes() {}

    static MessageDigest sha1() {
        return copy(SHA_1);
    }

    public static byte[] sha512(byte[]... parts) {
        return digest(copy(SHA_512), parts);
    }

    private static MessageDigest lookUp(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static MessageDigest copy(MessageDigest fresh) {
        try {
            return (MessageDigest) fresh.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static byte[] sha256(byte[]... parts) {
        return digest(copy(SHA_256), parts);
    }

    private static byte[] digest(MessageDigest digest, byte[]... parts) {
        for (byte[] part : parts) {
            digest.update(part);
        }
        return digest.digest();
    }

    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    public static boolean isHex(String text, int length) {
        if (text.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }
}
