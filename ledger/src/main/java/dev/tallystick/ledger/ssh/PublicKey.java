package dev.tallystick.ledger.ssh;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;

/** An Ed25519 public key as SSH writes it on one line: {@code ssh-ed25519 AAAA…}, without a comment. */
public record PublicKey(String line) {

    private static final byte[] X509_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");
    private static final int RAW = 32;

    public PublicKey {
        String[] parts = line.split(" ", -1);
        if (parts.length != 2 || !parts[0].equals(SshWire.ED25519)) {
            throw new IllegalArgumentException("a key is one line 'ssh-ed25519 AAAA…', got '" + line + "'");
        }
        if (!line.equals(line(raw(parts[1])))) {
            throw new IllegalArgumentException("a key in other than its usual Base64: '" + line + "'");
        }
    }

    /** Parses the line of a {@code .pub} file, which may have a comment. */
    public static PublicKey parse(String line) {
        String[] parts = line.strip().split(" ", 3);
        if (parts.length < 2) {
            throw new IllegalArgumentException("a key is one line 'ssh-ed25519 AAAA…', got '" + line + "'");
        }
        return new PublicKey(parts[0] + " " + parts[1]);
    }

    static PublicKey ofRaw(byte[] raw) {
        return new PublicKey(line(raw));
    }

    private static String line(byte[] raw) {
        byte[] blob = new SshWire.Writer().string(SshWire.ED25519).string(raw).bytes();
        return SshWire.ED25519 + " " + Base64.getEncoder().encodeToString(blob);
    }

    byte[] blob() {
        return Base64.getDecoder().decode(line.substring(line.indexOf(' ') + 1));
    }

    byte[] raw() {
        return raw(line.substring(line.indexOf(' ') + 1));
    }

    boolean verifies(byte[] data, byte[] signature) {
        try {
            byte[] encoded = new SshWire.Writer().raw(X509_PREFIX).raw(raw()).bytes();
            Signature ed25519 = Signature.getInstance("Ed25519");
            ed25519.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
            ed25519.update(data);
            return ed25519.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static byte[] raw(String base64) {
        SshWire.Reader reader = new SshWire.Reader(Base64.getDecoder().decode(base64));
        reader.expect(SshWire.ED25519);
        byte[] raw = reader.string();
        reader.end();
        if (raw.length != RAW) {
            throw new IllegalArgumentException("an Ed25519 key has 32 bytes, not " + raw.length);
        }
        return raw;
    }

    @Override
    public String toString() {
        return line;
    }
}
