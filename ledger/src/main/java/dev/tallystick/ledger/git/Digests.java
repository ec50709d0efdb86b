package dev.tallystick.ledger.git;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The two hashes: SHA-1 where Git's format requires it, SHA-256 for everything that must be trusted. */
public final class Digests {

    private Digests() {}

    static MessageDigest sha1() {
        return digest("SHA-1");
    }

    public static MessageDigest sha256() {
        return digest("SHA-256");
    }

    public static boolean isLowerHex(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    public static MessageDigest digest(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has " + algorithm, e);
        }
    }
}
