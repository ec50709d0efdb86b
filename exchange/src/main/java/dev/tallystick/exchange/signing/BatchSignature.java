package dev.tallystick.exchange.signing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * A signature of one statement: an Ed25519 signature over the root of a batch, and the statement's path to that root. A batch
 * of one is an ordinary signature. Immutable.
 */
public final class BatchSignature {

    static final int KEY_ID = 8;

    /** The most statements under one signature. */
    public static final int MAX_BATCH = 1 << 16;

    private static final byte VERSION = 1;
    private static final int SIGNATURE = 64;
    private static final int FIXED = 1 + KEY_ID + 2 * Integer.BYTES + SIGNATURE;
    private static final byte[] DOMAIN = "tally-exchange-batch-v1\n".getBytes(US_ASCII);

    private final byte[] encoded;
    private final int index;
    private final int size;
    private final List<byte[]> path;

    private BatchSignature(byte[] encoded) {
        this.encoded = encoded;
        if (encoded.length < FIXED || encoded[0] != VERSION || (encoded.length - FIXED) % MerkleTree.HASH != 0) {
            throw new IllegalArgumentException("not a signature of version " + VERSION);
        }
        ByteBuffer buffer = ByteBuffer.wrap(encoded).position(1 + KEY_ID);
        this.index = buffer.getInt();
        this.size = buffer.getInt();
        if (size < 1 || size > MAX_BATCH || index < 0 || index >= size) {
            throw new IllegalArgumentException("a signature of statement " + index + " of " + size);
        }
        buffer.position(FIXED);
        this.path = new ArrayList<>();
        while (buffer.hasRemaining()) {
            byte[] hash = new byte[MerkleTree.HASH];
            buffer.get(hash);
            path.add(hash);
        }
    }

    /** Signs all of them with one signature. */
    public static List<BatchSignature> sign(SigningKey key, List<byte[]> statements) {
        MerkleTree tree = new MerkleTree(statements);
        byte[] signature = key.sign(signed(tree.root(), statements.size()));
        byte[] keyId = HexFormat.of().parseHex(key.publicKey().id());
        List<BatchSignature> signatures = new ArrayList<>(statements.size());
        for (int i = 0; i < statements.size(); i++) {
            List<byte[]> path = tree.path(i);
            ByteBuffer encoded = ByteBuffer.allocate(FIXED + path.size() * MerkleTree.HASH);
            encoded.put(VERSION).put(keyId).putInt(i).putInt(statements.size()).put(signature);
            path.forEach(encoded::put);
            signatures.add(new BatchSignature(encoded.array()));
        }
        return signatures;
    }

    public static BatchSignature of(byte[] encoded) {
        return new BatchSignature(encoded.clone());
    }

    public static BatchSignature parse(String text) {
        return new BatchSignature(Base64.getUrlDecoder().decode(text));
    }

    public byte[] bytes() {
        return encoded.clone();
    }

    public String text() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(encoded);
    }

    /** The {@link PublicKey#id()} of the key that made it. */
    public String keyId() {
        return HexFormat.of().formatHex(encoded, 1, 1 + KEY_ID);
    }

    /** What the key must have signed for this to be a signature of the statement; and {@link #signature()} of it. */
    Signed claim(byte[] statement) {
        return new Signed(signed(MerkleTree.root(statement, index, size, path), size), signature());
    }

    /** Data and its plain signature; equal for all statements of a batch. */
    record Signed(String data, String signature) {

        Signed(byte[] data, byte[] signature) {
            this(HexFormat.of().formatHex(data), HexFormat.of().formatHex(signature));
        }

        boolean isBy(PublicKey key) {
            return key.verifies(HexFormat.of().parseHex(data), HexFormat.of().parseHex(signature));
        }
    }

    private byte[] signature() {
        int begin = 1 + KEY_ID + 2 * Integer.BYTES;
        return Arrays.copyOfRange(encoded, begin, begin + SIGNATURE);
    }

    private static byte[] signed(byte[] root, int size) {
        return ByteBuffer.allocate(DOMAIN.length + Integer.BYTES + root.length)
                .put(DOMAIN)
                .putInt(size)
                .put(root)
                .array();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BatchSignature signature && Arrays.equals(encoded, signature.encoded);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoded);
    }

    @Override
    public String toString() {
        return "BatchSignature[" + index + " of " + size + " by " + keyId() + "]";
    }
}
