package dev.tallystick.exchange.signing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** An Ed25519 public key, written on one line as SSH does: {@code ssh-ed25519 AAAA…}. Immutable. */
public final class PublicKey {

    private static final String TYPE = "ssh-ed25519";
    private static final int RAW = 32;
    private static final int BLOB = Integer.BYTES + TYPE.length() + Integer.BYTES + RAW;

    private final byte[] raw;
    private final Ed25519.PublicPoint point;
    private final String id;

    private PublicKey(byte[] raw) {
        if (raw.length != RAW) {
            throw new IllegalArgumentException("an Ed25519 key has 32 bytes, not " + raw.length);
        }
        this.raw = raw;
        this.id = idOf(raw);
        Ed25519.PublicPoint found = Ed25519.validatePublicKeyFullExport(raw, 0);
        if (found == null) {
            throw new IllegalArgumentException("not an Ed25519 key");
        }
        this.point = found;
    }

    public static PublicKey ofRaw(byte[] raw) {
        return new PublicKey(raw.clone());
    }

    /** Parses the line of a {@code .pub} file, which may have a comment. */
    public static PublicKey parse(String line) {
        String[] parts = line.strip().split(" ", 3);
        if (parts.length < 2 || !parts[0].equals(TYPE)) {
            throw new IllegalArgumentException("a key is one line 'ssh-ed25519 AAAA…', got '" + line + "'");
        }
        byte[] blob = Base64.getDecoder().decode(parts[1]);
        PublicKey key = new PublicKey(Arrays.copyOfRange(blob, Math.max(0, blob.length - RAW), blob.length));
        if (!Arrays.equals(key.blob(), blob)) {
            throw new IllegalArgumentException("not an Ed25519 key of SSH: '" + line + "'");
        }
        return key;
    }

    public byte[] raw() {
        return raw.clone();
    }

    /** The first 8 bytes of the key's SHA-256 in hex: enough to choose among the keys of a participant. */
    public String id() {
        return id;
    }

    private static String idOf(byte[] raw) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(raw);
            return HexFormat.of().formatHex(digest, 0, BatchSignature.KEY_ID);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    public boolean verifies(byte[] data, byte[] signature) {
        return signature.length == Ed25519.SIGNATURE_SIZE && Ed25519.verify(signature, 0, point, data, 0, data.length);
    }

    private byte[] blob() {
        return ByteBuffer.allocate(BLOB)
                .putInt(TYPE.length())
                .put(TYPE.getBytes(US_ASCII))
                .putInt(RAW)
                .put(raw)
                .array();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PublicKey key && Arrays.equals(raw, key.raw);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(raw);
    }

    @Override
    public String toString() {
        return TYPE + " " + Base64.getEncoder().encodeToString(blob());
    }
}
