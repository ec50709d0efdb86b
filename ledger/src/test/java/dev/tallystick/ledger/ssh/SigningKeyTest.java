package dev.tallystick.ledger.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SigningKeyTest {

    private static final byte[] PKCS8_PREFIX = HexFormat.of().parseHex("302e020100300506032b657004220420");

    @Test
    void a_signature_is_what_the_platform_would_have_made() throws Exception {
        Random random = new Random(5);
        for (int i = 0; i < 20; i++) {
            SigningKey key = SigningKey.generate();
            byte[] message = new byte[random.nextInt(2_000)];
            random.nextBytes(message);

            Signature platform = Signature.getInstance("Ed25519");
            platform.initSign(privateKey(key));
            platform.update(SshSignature.signedData(SshSignature.GIT, message));
            assertThat(key.sign(SshSignature.GIT, message))
                    .isEqualTo(SshSignature.armour(key.publicKey(), SshSignature.GIT, platform.sign()));
        }
    }

    /** The seed is where OpenSSH keeps it: 32 bytes, followed by the public key. */
    private static PrivateKey privateKey(SigningKey key) throws Exception {
        String base64 =
                key.toOpenSsh().lines().filter(line -> !line.startsWith("-")).reduce("", String::concat);
        byte[] file = Base64.getDecoder().decode(base64);
        byte[] half = key.publicKey().raw();
        int at = file.length - half.length;
        while (!Arrays.equals(file, at, at + half.length, half, 0, half.length)) {
            at--;
        }
        byte[] encoded = Arrays.copyOf(PKCS8_PREFIX, PKCS8_PREFIX.length + 32);
        System.arraycopy(file, at - 32, encoded, PKCS8_PREFIX.length, 32);
        return KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded));
    }
}
