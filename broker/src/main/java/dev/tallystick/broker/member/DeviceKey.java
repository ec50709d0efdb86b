package dev.tallystick.broker.member;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A device's public key: Ed25519, 32 bytes.
 *
 * @param base64 as it is written
 */
public record DeviceKey(String base64) {

    private static final int LENGTH = 32;

    /** The prefix before the 32 bytes in the common encoding of public keys (RFC 8410). */
    private static final byte[] PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    public DeviceKey {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a device's key is an Ed25519 public key in base64", e);
        }
        if (bytes.length != LENGTH || !isPoint(bytes)) {
            throw new IllegalArgumentException("a device's key is an Ed25519 public key: 32 bytes in base64");
        }
    }

    static DeviceKey of(byte[] bytes) {
        return new DeviceKey(Base64.getEncoder().encodeToString(bytes));
    }

    byte[] bytes() {
        return Base64.getDecoder().decode(base64);
    }

    private static boolean isPoint(byte[] bytes) {
        byte[] encoded = new byte[PREFIX.length + bytes.length];
        System.arraycopy(PREFIX, 0, encoded, 0, PREFIX.length);
        System.arraycopy(bytes, 0, encoded, PREFIX.length, bytes.length);
        try {
            KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
