package dev.tallystick.ledger.ssh;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.ledger.git.Digests;
import java.util.Arrays;
import java.util.Base64;

/** Signatures in the format of {@code ssh-keygen -Y sign}, Git's {@code gpg.format=ssh}. */
public final class SshSignature {

    /** The namespace that Git requires in commit signatures. */
    public static final String GIT = "git";

    private static final String BEGIN = "-----BEGIN SSH SIGNATURE-----\n";
    private static final String END = "-----END SSH SIGNATURE-----\n";
    private static final byte[] MAGIC = "SSHSIG".getBytes(US_ASCII);
    private static final String HASH = "sha512";
    private static final int LINE = 68;

    private SshSignature() {}

    static byte[] signedData(String namespace, byte[] message) {
        return new SshWire.Writer()
                .raw(MAGIC)
                .string(namespace)
                .string("")
                .string(HASH)
                .string(Digests.digest("SHA-512").digest(message))
                .bytes();
    }

    static String armour(PublicKey key, String namespace, byte[] signature) {
        byte[] bytes = new SshWire.Writer()
                .raw(MAGIC)
                .number(1)
                .string(key.blob())
                .string(namespace)
                .string("")
                .string(HASH)
                .string(new SshWire.Writer()
                        .string(SshWire.ED25519)
                        .string(signature)
                        .bytes())
                .bytes();
        return armour(bytes);
    }

    private static String armour(byte[] bytes) {
        return BEGIN + Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(bytes) + "\n" + END;
    }

    /** Whether {@code armoured} is a signature over {@code message} by exactly {@code key}, wrapped as we do it. */
    public static boolean verifies(PublicKey key, String namespace, byte[] message, String armoured) {
        if (!armoured.startsWith(BEGIN) || !armoured.endsWith(END)) {
            return false;
        }
        try {
            String base64 = armoured.substring(BEGIN.length(), armoured.length() - END.length());
            byte[] bytes = Base64.getDecoder().decode(base64.replace("\n", ""));
            SshWire.Reader reader = new SshWire.Reader(bytes);
            if (!armoured.equals(armour(bytes))
                    || !Arrays.equals(reader.raw(MAGIC.length), MAGIC)
                    || reader.number() != 1) {
                return false;
            }
            if (!Arrays.equals(reader.string(), key.blob())) {
                return false;
            }
            reader.expect(namespace);
            reader.expect("");
            reader.expect(HASH);
            SshWire.Reader signature = new SshWire.Reader(reader.string());
            reader.end();
            signature.expect(SshWire.ED25519);
            byte[] raw = signature.string();
            signature.end();
            return key.verifies(signedData(namespace, message), raw);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
