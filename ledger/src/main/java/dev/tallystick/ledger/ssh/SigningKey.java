package dev.tallystick.ledger.ssh;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.EdECPublicKey;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/**
 * A private Ed25519 key in the (unencrypted) format of {@code ssh-keygen}, so that keys can be exchanged with it in both
 * directions.
 */
public final class SigningKey {

    private static final String BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----\n";
    private static final String END = "-----END OPENSSH PRIVATE KEY-----\n";
    private static final byte[] MAGIC = "openssh-key-v1\0".getBytes(US_ASCII);
    private static final int SEED = 32;

    private final byte[] seed;
    private final PublicKey publicKey;

    private SigningKey(byte[] seed, PublicKey publicKey) {
        this.seed = seed;
        this.publicKey = publicKey;
        byte[] probe = {1};
        if (!publicKey.verifies(probe, signRaw(probe))) {
            throw new IllegalArgumentException("the public and private parts of this key do not match");
        }
    }

    /** A new key from the platform's strong random source. */
    public static SigningKey generate() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            byte[] encoded = pair.getPrivate().getEncoded();
            byte[] seed = Arrays.copyOfRange(encoded, encoded.length - SEED, encoded.length);
            return new SigningKey(seed, PublicKey.ofRaw(rawPublic((EdECPublicKey) pair.getPublic())));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has Ed25519", e);
        }
    }

    /** Parses a private key file, as made by {@code ssh-keygen -t ed25519 -N ''}. */
    public static SigningKey parse(String file) {
        String text = file.replace("\r", "");
        if (!text.startsWith(BEGIN) || !text.endsWith(END)) {
            throw new IllegalArgumentException("not an OpenSSH private key");
        }
        String base64 = text.substring(BEGIN.length(), text.length() - END.length());
        SshWire.Reader reader = new SshWire.Reader(Base64.getMimeDecoder().decode(base64));
        if (!Arrays.equals(reader.raw(MAGIC.length), MAGIC)) {
            throw new IllegalArgumentException("not an OpenSSH private key");
        }
        reader.expect("none");
        reader.expect("none");
        reader.expect("");
        if (reader.number() != 1) {
            throw new IllegalArgumentException("a key file must hold one key");
        }
        reader.string();
        SshWire.Reader secret = new SshWire.Reader(reader.string());
        int check = secret.number();
        if (secret.number() != check) {
            throw new IllegalArgumentException("the key file is damaged or encrypted");
        }
        secret.expect(SshWire.ED25519);
        PublicKey publicKey = PublicKey.ofRaw(secret.string());
        byte[] seed = Arrays.copyOf(secret.string(), SEED);
        return new SigningKey(seed, publicKey);
    }

    public PublicKey publicKey() {
        return publicKey;
    }

    /** The contents of a private key file. The caller must keep others from reading it. */
    public String toOpenSsh() {
        SshWire.Writer secret = new SshWire.Writer()
                .number(0)
                .number(0)
                .string(SshWire.ED25519)
                .string(publicKey.raw())
                .string(new SshWire.Writer().raw(seed).raw(publicKey.raw()).bytes())
                .string("");
        for (int pad = 1; secret.bytes().length % 8 != 0; pad++) {
            secret.raw(new byte[] {(byte) pad});
        }
        byte[] bytes = new SshWire.Writer()
                .raw(MAGIC)
                .string("none")
                .string("none")
                .string("")
                .number(1)
                .string(publicKey.blob())
                .string(secret.bytes())
                .bytes();
        return BEGIN + Base64.getMimeEncoder(70, new byte[] {'\n'}).encodeToString(bytes) + "\n" + END;
    }

    /** An armoured SSH signature over {@code message}. */
    public String sign(String namespace, byte[] message) {
        return SshSignature.armour(publicKey, namespace, signRaw(SshSignature.signedData(namespace, message)));
    }

    /** A message authentication code that only holders of this private key can make: HMAC-SHA-256 under its seed. */
    public byte[] mac(byte[] message) {
        try {
            Mac hmac = Mac.getInstance("HmacSHA256");
            hmac.init(new SecretKeySpec(seed, "HmacSHA256"));
            return hmac.doFinal(message);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HMAC-SHA-256", e);
        }
    }

    /** The JDK's signer gives the same bytes but takes ten times as long, which a single writer waits for at every commit. */
    private byte[] signRaw(byte[] data) {
        byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
        Ed25519.sign(seed, 0, publicKey.raw(), 0, data, 0, data.length, signature, 0);
        return signature;
    }

    /** RFC 8032: the y coordinate, little-endian, its top bit the parity of x. */
    private static byte[] rawPublic(EdECPublicKey key) {
        byte[] big = key.getPoint().getY().toByteArray();
        byte[] raw = new byte[SEED];
        for (int i = 0; i < Math.min(big.length, SEED); i++) {
            raw[i] = big[big.length - 1 - i];
        }
        if (key.getPoint().isXOdd()) {
            raw[SEED - 1] |= (byte) 0x80;
        }
        return raw;
    }
}
