package dev.tallystick.ledger.git;

import dev.tallystick.ledger.history.ChainRoot;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A Git object ID: SHA-1 over the object's type, length and content. It is an address, not a proof; proofs use SHA-256 (see
 * {@link ChainRoot}).
 */
public record Oid(long high, long middle, int low) implements Comparable<Oid> {

    static final int BYTES = 20;
    static final int HEX = 40;

    public static Oid of(ObjectType type, byte[] content) {
        return of(Digests.sha1(), type, content);
    }

    /** The same with a reusable digest of the caller. */
    static Oid of(MessageDigest sha1, ObjectType type, byte[] content) {
        sha1.update(type.header(content.length));
        return at(sha1.digest(content), 0);
    }

    public static Oid at(byte[] bytes, int offset) {
        return new Oid(Bytes.int64(bytes, offset), Bytes.int64(bytes, offset + 8), Bytes.int32(bytes, offset + 16));
    }

    public static Oid parse(String hex) {
        if (!isHex(hex)) {
            throw new IllegalArgumentException("not a Git object ID: " + hex);
        }
        return at(HexFormat.of().parseHex(hex), 0);
    }

    public static boolean isHex(String text) {
        return text.length() == HEX && Digests.isLowerHex(text);
    }

    void writeTo(byte[] target, int offset) {
        Bytes.putInt64(target, offset, high);
        Bytes.putInt64(target, offset + 8, middle);
        Bytes.putInt32(target, offset + 16, low);
    }

    int firstByte() {
        return (int) (high >>> 56);
    }

    @Override
    public int compareTo(Oid other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        if (byHigh != 0) {
            return byHigh;
        }
        int byMiddle = Long.compareUnsigned(middle, other.middle);
        return byMiddle != 0 ? byMiddle : Integer.compareUnsigned(low, other.low);
    }

    // Handwritten because these two run for every object of every batch, and the generated ones are several times
    // slower.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Oid id && high == id.high && middle == id.middle && low == id.low;
    }

    @Override
    public int hashCode() {
        return (int) (high >>> 32);
    }

    @Override
    public String toString() {
        byte[] bytes = new byte[BYTES];
        writeTo(bytes, 0);
        return HexFormat.of().formatHex(bytes);
    }
}
