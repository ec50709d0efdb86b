package dev.tallystick.log.entry;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.log.tree.Hash;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** HMAC and HKDF with SHA-256 (RFC 2104, RFC 5869), and values with their length before them. */
final class HmacSha256 {

    private static final int BLOCK = 64;
    private static final byte INNER = 0x36;
    private static final byte OUTER = 0x5c;
    private static final byte[] FIRST_BLOCK = {1};

    private HmacSha256() {}

    static Hash mac(byte[] key, byte[]... message) {
        byte[] shortKey = key.length > BLOCK ? Hash.sha256(key).bytes() : key;
        byte[][] inner = new byte[message.length + 1][];
        inner[0] = pad(shortKey, INNER);
        System.arraycopy(message, 0, inner, 1, message.length);
        return Hash.sha256(pad(shortKey, OUTER), Hash.sha256(inner).bytes());
    }

    private static byte[] pad(byte[] key, byte with) {
        byte[] block = Arrays.copyOf(key, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            block[i] ^= with;
        }
        return block;
    }

    /** HKDF's extract step. */
    static Hash extract(String salt, byte[] secret) {
        return mac(salt.getBytes(UTF_8), secret);
    }

    /** HKDF's expand step, for 32 bytes. */
    static Hash expand(Hash extracted, byte[]... info) {
        byte[][] message = Arrays.copyOf(info, info.length + 1);
        message[info.length] = FIRST_BLOCK;
        return mac(extracted.bytes(), message);
    }

    /** The text in UTF-8 after its length in four bytes. */
    static byte[] lengthPrefixed(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + bytes.length)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    static byte[] number(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }
}
