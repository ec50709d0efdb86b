package dev.tallystick.exchange.signing;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** A private Ed25519 key with its public half. Its file is PEM, as {@code openssl genpkey -algorithm ed25519} writes it. */
public final class SigningKey {

    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----\n";
    private static final String END = "-----END PRIVATE KEY-----\n";
    private static final String PUBLIC = "public-key: ";
    private static final int RAW = 32;

    private final PrivateKey key;
    private final byte[] seed;
    private final byte[] raw;
    private final PublicKey publicKey;

    private SigningKey(PrivateKey key, PublicKey publicKey) {
        this.key = key;
        this.publicKey = publicKey;
        this.raw = publicKey.raw();
        byte[] encoded = key.getEncoded();
        this.seed = Arrays.copyOfRange(encoded, encoded.length - RAW, encoded.length);
        byte[] probe = {1};
        if (!publicKey.verifies(probe, sign(probe))) {
            throw new IllegalArgumentException("the public and private parts of this key do not match");
        }
    }

    /** A new key from the platform's strong random source. */
    public static SigningKey generate() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            return new SigningKey(pair.getPrivate(), PublicKey.ofRaw(raw((EdECPublicKey) pair.getPublic())));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has Ed25519", e);
        }
    }

    /** Reads {@link #toPem()}. */
    public static SigningKey parse(String file) {
        String text = file.replace("\r", "") + "\n";
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        int named = text.indexOf(PUBLIC);
        if (named < 0 || begin < 0 || end < begin) {
            throw new IllegalArgumentException(
                    "not a signing key: it needs a line 'public-key: ssh-ed25519 AAAA…' and a" + " private key in PEM");
        }
        PublicKey publicKey = PublicKey.parse(text.substring(named + PUBLIC.length(), text.indexOf('\n', named)));
        byte[] encoded = Base64.getMimeDecoder().decode(text.substring(begin + BEGIN.length(), end));
        try {
            return new SigningKey(
                    KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded)), publicKey);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("not an Ed25519 private key", e);
        }
    }

    /** The contents of a private key file. The caller must keep others from reading it. */
    public String toPem() {
        return PUBLIC + publicKey + "\n" + BEGIN
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded()) + "\n" + END;
    }

    public PublicKey publicKey() {
        return publicKey;
    }

    /** The platform's signer gives the same bytes and takes ten times as long. */
    public byte[] sign(byte[] data) {
        byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
        Ed25519.sign(seed, 0, raw, 0, data, 0, data.length, signature, 0);
        return signature;
    }

    /** RFC 8032: the y coordinate, little-endian, its top bit the parity of x. */
    private static byte[] raw(EdECPublicKey key) {
        byte[] big = key.getPoint().getY().toByteArray();
        byte[] raw = new byte[RAW];
        for (int i = 0; i < Math.min(big.length, RAW); i++) {
            raw[i] = big[big.length - 1 - i];
        }
        if (key.getPoint().isXOdd()) {
            raw[RAW - 1] |= (byte) 0x80;
        }
        return raw;
    }
}
