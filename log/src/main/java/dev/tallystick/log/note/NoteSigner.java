package dev.tallystick.log.note;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/**
 * A private Ed25519 key that signs notes or cosigns checkpoints. Its text is the one that Go's {@code note} package uses:
 * {@code PRIVATE+KEY+name+id+seed}. Ed25519 is deterministic: the same text always gets the same signature.
 */
public final class NoteSigner {

    private static final String PREFIX = "PRIVATE+KEY+";
    private static final int SEED = 32;

    private final byte[] seed;
    private final byte[] raw;
    private final VerifierKey key;

    private NoteSigner(String name, VerifierKey.Type type, byte[] seed) {
        if (seed.length != SEED) {
            throw new IllegalArgumentException("a private key has 32 bytes, not " + seed.length);
        }
        this.seed = seed;
        this.raw = new byte[SEED];
        Ed25519.generatePublicKey(seed, 0, raw, 0);
        this.key = VerifierKey.of(name, type, raw);
    }

    /** A new key for the notes of a log, whose name is the log's origin. */
    public static NoteSigner generate(String name, VerifierKey.Type type, SecureRandom random) {
        byte[] seed = new byte[SEED];
        random.nextBytes(seed);
        return new NoteSigner(name, type, seed);
    }

    public static NoteSigner of(String name, VerifierKey.Type type, byte[] seed) {
        return new NoteSigner(name, type, seed.clone());
    }

    /** Reads {@link #secretText()}. */
    public static NoteSigner parse(String text) {
        String[] parts = text.strip().split("\\+", 5);
        if (parts.length != 5 || !text.startsWith(PREFIX)) {
            throw new IllegalArgumentException("not a signing key: it is one line 'PRIVATE+KEY+name+id+seed'");
        }
        byte[] typed = Base64.getDecoder().decode(parts[4]);
        if (typed.length != 1 + SEED) {
            throw new IllegalArgumentException("not a signing key: its last part is too short or too long");
        }
        NoteSigner signer =
                new NoteSigner(parts[2], VerifierKey.Type.of(typed[0]), Arrays.copyOfRange(typed, 1, typed.length));
        if (!HexFormat.of().toHexDigits(signer.key.id()).equals(parts[3])) {
            throw new IllegalArgumentException("the id of this signing key is not that of its name and bytes");
        }
        return signer;
    }

    /** The contents of a private key file. The caller must keep others from reading it. */
    public String secretText() {
        byte[] typed =
                ByteBuffer.allocate(1 + SEED).put(key.typed()[0]).put(seed).array();
        return PREFIX + key.name() + "+" + HexFormat.of().toHexDigits(key.id()) + "+"
                + Base64.getEncoder().encodeToString(typed) + "\n";
    }

    public VerifierKey key() {
        return key;
    }

    /** A note with this key's signature alone. */
    public SignedNote sign(String text) {
        if (key.type() != VerifierKey.Type.NOTE) {
            throw new IllegalStateException("this key cosigns; it does not sign notes");
        }
        NoteSignature signature = new NoteSignature(key.name(), key.id(), signRaw(text.getBytes(UTF_8)));
        return SignedNote.of(text, signature);
    }

    /** A cosignature of the witness that has this key: it has seen this checkpoint follow all earlier ones at this time. */
    public NoteSignature cosign(Checkpoint checkpoint, Instant at) {
        if (key.type() != VerifierKey.Type.COSIGNATURE) {
            throw new IllegalStateException("this key signs notes; it does not cosign");
        }
        long seconds = at.getEpochSecond();
        byte[] signature = signRaw(Cosignature.message(seconds, checkpoint.text()));
        byte[] timed = ByteBuffer.allocate(Long.BYTES + signature.length)
                .putLong(seconds)
                .put(signature)
                .array();
        return new NoteSignature(key.name(), key.id(), timed);
    }

    private byte[] signRaw(byte[] message) {
        byte[] signature = new byte[VerifierKey.SIGNATURE];
        Ed25519.sign(seed, 0, raw, 0, message, 0, message.length, signature, 0);
        return signature;
    }
}
