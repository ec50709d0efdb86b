package dev.tallystick.ledger.verifier.signature;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;

/** A public key as SSH writes it, {@code ssh-ed25519 AAAA…}, and the signatures that {@code ssh-keygen -Y sign} makes. */
public final class SshKey {

    private static final int LONGEST = 4096;
    private static final byte[] MAGIC = "SSHSIG".getBytes(US_ASCII);
    private static final byte[] TYPE = "ssh-ed25519".getBytes(US_ASCII);
    private static final byte[] HASH = "sha512".getBytes(US_ASCII);
    private static final String BEGIN = "-----BEGIN SSH SIGNATURE-----\n";
    private static final String END = "-----END SSH SIGNATURE-----\n";

    private static final Base64.Encoder ARMOUR = Base64.getMimeEncoder(68, new byte[] {'\n'});

    private final String line;
    private final byte[] blob;
    private final Ed25519Key key;

    private SshKey(String line, byte[] blob, Ed25519Key key) {
        this.line = line;
        this.blob = blob;
        this.key = key;
    }

    public static SshKey parse(String line) throws Unsound {
        try {
            byte[] blob = Base64.getDecoder().decode(line.substring(line.indexOf(' ') + 1));
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(blob));
            if (Arrays.equals(string(in), TYPE)) {
                byte[] point = string(in);
                if (in.read() < 0
                        && line.equals("ssh-ed25519 " + Base64.getEncoder().encodeToString(blob))) {
                    return new SshKey(line, blob, new Ed25519Key(point));
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            // It is refused below, as any other text that is no key.
        }
        throw new Unsound("is not an Ed25519 key");
    }

    public String line() {
        return line;
    }

    /** Whether {@code armoured} is a signature by this key. Of its many possible line lengths, one is accepted. */
    public boolean hasSigned(String namespace, byte[] message, String armoured) {
        try {
            if (!armoured.startsWith(BEGIN) || !armoured.endsWith(END)) {
                return false;
            }
            String body = armoured.substring(BEGIN.length(), armoured.length() - END.length());
            byte[] bytes = Base64.getDecoder().decode(body.replace("\n", ""));
            if (!body.equals(ARMOUR.encodeToString(bytes) + "\n")) {
                return false;
            }
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            boolean shaped = Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)
                    && in.readInt() == 1
                    && Arrays.equals(string(in), blob)
                    && Arrays.equals(string(in), namespace.getBytes(US_ASCII))
                    && string(in).length == 0
                    && Arrays.equals(string(in), HASH);
            DataInputStream inner = new DataInputStream(new ByteArrayInputStream(string(in)));
            boolean ed25519 = shaped && Arrays.equals(string(inner), TYPE);
            byte[] signature = string(inner);
            return ed25519
                    && inner.read() < 0
                    && in.read() < 0
                    && key.verifies(signedData(namespace, message), signature);
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static byte[] signedData(String namespace, byte[] message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(MAGIC);
        for (byte[] part : new byte[][] {namespace.getBytes(US_ASCII), {}, HASH, Hashes.sha512(message)}) {
            out.writeInt(part.length);
            out.write(part);
        }
        return bytes.toByteArray();
    }

    private static byte[] string(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > LONGEST) {
            throw new IOException("a string of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length != length) {
            throw new IOException("cut short");
        }
        return bytes;
    }
}
