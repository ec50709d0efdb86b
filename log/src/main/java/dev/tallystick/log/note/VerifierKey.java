package dev.tallystick.log.note;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.log.tree.Hash;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/**
 * A public Ed25519 key with a name and a purpose: to sign notes, or to cosign checkpoints. Its text is the <em>vkey</em> of
 * C2SP signed-note: {@code name+id+key}. Immutable.
 */
public final class VerifierKey {

    /** What a key signs. The same 32 bytes have another id for another purpose. */
    public enum Type {
        NOTE(1),
        COSIGNATURE(4);

        private final byte code;

        Type(int code) {
            this.code = (byte) code;
        }

        static Type of(byte code) {
            for (Type type : values()) {
                if (type.code == code) {
                    return type;
                }
            }
            throw new IllegalArgumentException("unknown type of key: " + (code & 0xff));
        }
    }

    static final int SIGNATURE = Ed25519.SIGNATURE_SIZE;
    private static final int RAW = 32;
    private static final int LONGEST = 1_024;

    private final String name;
    private final Type type;
    private final byte[] raw;
    private final int id;
    private final Ed25519.PublicPoint point;

    private VerifierKey(String name, Type type, byte[] raw) {
        requireName(name);
        if (raw.length != RAW) {
            throw new IllegalArgumentException("an Ed25519 key has 32 bytes, not " + raw.length);
        }
        Ed25519.PublicPoint found = Ed25519.validatePublicKeyFullExport(raw, 0);
        if (found == null) {
            throw new IllegalArgumentException("not an Ed25519 key");
        }
        this.name = name;
        this.type = type;
        this.raw = raw;
        this.point = found;
        this.id = idOf(name, type, raw);
    }

    public static VerifierKey of(String name, Type type, byte[] raw) {
        return new VerifierKey(name, type, raw.clone());
    }

    /** Parses a vkey. */
    public static VerifierKey parse(String text) {
        String[] parts = text.length() > LONGEST ? new String[0] : text.split("\\+", 3);
        if (parts.length != 3) {
            throw new IllegalArgumentException("a key is one line 'name+id+key'");
        }
        byte[] typed = Base64.getDecoder().decode(parts[2]);
        if (typed.length != 1 + RAW) {
            throw new IllegalArgumentException(
                    "a key has one byte for its type and 32 for itself, not " + typed.length);
        }
        VerifierKey key = new VerifierKey(parts[0], Type.of(typed[0]), Arrays.copyOfRange(typed, 1, typed.length));
        if (!key.toString().equals(text)) {
            throw new IllegalArgumentException("the id of this key is not that of its name and bytes");
        }
        return key;
    }

    static void requireName(String name) {
        boolean blank = name.isEmpty()
                || name.codePoints().anyMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '+');
        if (blank || name.chars().anyMatch(c -> c < ' ')) {
            throw new IllegalArgumentException("a key name has at least one character, and no space and no plus");
        }
    }

    static int idOf(String name, Type type, byte[] raw) {
        byte[] named = (name + "\n").getBytes(UTF_8);
        return ByteBuffer.wrap(Hash.sha256(named, new byte[] {type.code}, raw).bytes())
                .getInt();
    }

    byte[] typed() {
        return ByteBuffer.allocate(1 + RAW).put(type.code).put(raw).array();
    }

    public String name() {
        return name;
    }

    public Type type() {
        return type;
    }

    public int id() {
        return id;
    }

    public byte[] raw() {
        return raw.clone();
    }

    /** Whether this key made the signature over exactly these bytes. */
    boolean verifies(byte[] message, byte[] signature) {
        return signature.length == SIGNATURE && Ed25519.verify(signature, 0, point, message, 0, message.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VerifierKey key
                && name.equals(key.name)
                && type == key.type
                && Arrays.equals(raw, key.raw);
    }

    @Override
    public int hashCode() {
        return id;
    }

    /** The vkey. */
    @Override
    public String toString() {
        return name + "+" + HexFormat.of().toHexDigits(id) + "+"
                + Base64.getEncoder().encodeToString(typed());
    }
}
