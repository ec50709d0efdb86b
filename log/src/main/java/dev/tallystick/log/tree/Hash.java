package dev.tallystick.log.tree;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/** A SHA-256 hash. Immutable; its text form is Base64, as in checkpoints and proofs. */
public final class Hash {

    public static final int BYTES = 32;

    /** Looking a provider up for each hash costs more than many a hash itself. No one updates this one. */
    private static final MessageDigest FRESH = newDigest();

    /** The root of the tree without leaves: the hash of nothing. */
    public static final Hash EMPTY_TREE = sha256();

    private static final byte[] LEAF = {0};
    private static final byte[] NODE = {1};

    private final byte[] bytes;

    private Hash(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a hash has 32 bytes, not " + bytes.length);
        }
        this.bytes = bytes;
    }

    public static Hash of(byte[] bytes) {
        return new Hash(bytes.clone());
    }

    /** The hash at an offset of a longer array. */
    public static Hash at(byte[] bytes, int offset) {
        return new Hash(Arrays.copyOfRange(bytes, offset, offset + BYTES));
    }

    /** Parses Base64, and only the form that {@link #base64()} writes. */
    public static Hash parse(String base64) {
        byte[] bytes = Base64.getDecoder().decode(base64);
        Hash hash = new Hash(bytes);
        if (!hash.base64().equals(base64)) {
            throw new IllegalArgumentException("a hash in other than its usual Base64");
        }
        return hash;
    }

    /** The hash of the parts, one after the other. */
    public static Hash sha256(byte[]... parts) {
        MessageDigest digest = fresh();
        for (byte[] part : parts) {
            digest.update(part);
        }
        return new Hash(digest.digest());
    }

    /** RFC 6962: the hash of a leaf. */
    public static Hash leaf(byte[] entry) {
        return sha256(LEAF, entry);
    }

    /** RFC 6962: the hash of an inner node. */
    public static Hash node(Hash left, Hash right) {
        return sha256(NODE, left.bytes, right.bytes);
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    public void copyTo(byte[] target, int offset) {
        System.arraycopy(bytes, 0, target, offset, BYTES);
    }

    /** The bit at a position, counted from the first bit of the first byte. */
    public boolean bit(int position) {
        return (bytes[position >>> 3] >>> (7 - (position & 7)) & 1) == 1;
    }

    /** Orders hashes as unsigned numbers, which is the order of their bits. */
    public int compareBits(Hash other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    /** How many leading bits two hashes share. */
    public int commonBits(Hash other) {
        int byteAt = Arrays.mismatch(bytes, other.bytes);
        if (byteAt < 0) {
            return BYTES * 8;
        }
        int difference = (bytes[byteAt] ^ other.bytes[byteAt]) & 0xff;
        return byteAt * 8 + Integer.numberOfLeadingZeros(difference) - 24;
    }

    public String base64() {
        return Base64.getEncoder().encodeToString(bytes);
    }

    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Hash hash && Arrays.equals(bytes, hash.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return base64();
    }

    private static MessageDigest fresh() {
        try {
            return (MessageDigest) FRESH.clone();
        } catch (CloneNotSupportedException e) {
            return newDigest();
        }
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
