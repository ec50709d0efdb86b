package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** Checks signatures of the kind {@code ssh-keygen -Y sign} makes, by one given key. */
final class Ed25519Ssh {

    private static final int LONGEST = 4096;

    private Ed25519Ssh() {}

    static boolean verifies(String keyLine, String namespace, byte[] message, String armoured) {
        try {
            byte[] keyBlob = Base64.getDecoder().decode(keyLine.split(" ", -1)[1]);
            String body = armoured.replace("\n", "");
            String begin = "-----BEGIN SSH SIGNATURE-----";
            String end = "-----END SSH SIGNATURE-----";
            if (!body.startsWith(begin) || !body.endsWith(end)) {
                return false;
            }
            byte[] blob = Base64.getDecoder().decode(body.substring(begin.length(), body.length() - end.length()));
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(blob));
            byte[] magic = in.readNBytes(6);
            boolean shaped = Arrays.equals(magic, "SSHSIG".getBytes(US_ASCII))
                    && in.readInt() == 1
                    && Arrays.equals(string(in), keyBlob)
                    && Arrays.equals(string(in), namespace.getBytes(US_ASCII))
                    && string(in).length == 0
                    && Arrays.equals(string(in), "sha512".getBytes(US_ASCII));
            DataInputStream inner = new DataInputStream(new ByteArrayInputStream(string(in)));
            boolean ed25519 = shaped && Arrays.equals(string(inner), "ssh-ed25519".getBytes(US_ASCII));
            byte[] signature = string(inner);
            return ed25519
                    && inner.read() < 0
                    && in.read() < 0
                    && check(keyBlob, signedData(magic, namespace, message), signature);
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static boolean check(byte[] keyBlob, byte[] data, byte[] signature) throws IOException {
        return signature.length == Ed25519.SIGNATURE_SIZE
                && Ed25519.verify(signature, 0, key(keyBlob), 0, data, 0, data.length);
    }

    private static byte[] key(byte[] blob) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(blob));
        byte[] type = string(in);
        byte[] point = string(in);
        if (!Arrays.equals(type, "ssh-ed25519".getBytes(US_ASCII))
                || point.length != Ed25519.PUBLIC_KEY_SIZE
                || in.read() >= 0) {
            throw new IOException("not an Ed25519 key");
        }
        return point;
    }

    private static byte[] signedData(byte[] magic, String namespace, byte[] message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(magic);
        for (byte[] part :
                new byte[][] {namespace.getBytes(US_ASCII), {}, "sha512".getBytes(US_ASCII), Hashes.sha512(message)}) {
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
