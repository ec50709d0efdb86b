package dev.tallystick.ledger.ssh;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.ledger.git.Digests;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** A signature is valid in one form only: by this key, over these bytes, in this namespace, with nothing added. */
class SshSignatureTest {

    private static final byte[] MESSAGE = "pay 10".getBytes(US_ASCII);
    private static final String BEGIN = "-----BEGIN SSH SIGNATURE-----\n";
    private static final String END = "-----END SSH SIGNATURE-----\n";

    private final SigningKey key = SigningKey.generate();

    @Test
    void a_signature_is_valid_for_its_key_message_and_namespace_alone() {
        String signature = key.sign("git", MESSAGE);
        PublicKey other = SigningKey.generate().publicKey();

        assertThat(SshSignature.verifies(key.publicKey(), "git", MESSAGE, signature))
                .isTrue();
        assertThat(SshSignature.verifies(other, "git", MESSAGE, signature)).isFalse();
        assertThat(SshSignature.verifies(key.publicKey(), "file", MESSAGE, signature))
                .isFalse();
        assertThat(SshSignature.verifies(key.publicKey(), "git", "pay 11".getBytes(US_ASCII), signature))
                .isFalse();
    }

    @Test
    void any_changed_byte_of_a_signature_invalidates_it() {
        byte[] bytes = bytes(key.sign("git", MESSAGE));
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            assertThat(verifies(armoured(changed))).as("byte %d", i).isFalse();
        }
    }

    @Test
    void a_signature_that_is_cut_or_continued_is_refused() {
        byte[] bytes = bytes(key.sign("git", MESSAGE));
        assertThat(verifies(armoured(bytes))).isTrue();
        for (int length = 0; length < bytes.length; length++) {
            assertThat(verifies(armoured(Arrays.copyOf(bytes, length))))
                    .as("%d bytes", length)
                    .isFalse();
        }
        assertThat(verifies(armoured(Arrays.copyOf(bytes, bytes.length + 1)))).isFalse();
    }

    @Test
    void bytes_after_the_signature_proper_are_refused() {
        byte[] raw = raw(key.sign("git", MESSAGE));

        assertThat(verifies(armoured(signature(1, raw)))).isTrue();
        assertThat(verifies(armoured(signature(1, raw, (byte) 0)))).isFalse();
        assertThat(verifies(armoured(signature(2, raw)))).isFalse();
    }

    @Test
    void another_wrapping_of_the_same_bytes_is_refused() {
        String signature = key.sign("git", MESSAGE);

        assertThat(verifies(signature.substring(1))).isFalse();
        assertThat(verifies(signature.strip())).isFalse();
        assertThat(verifies(signature + "\n")).isFalse();
        assertThat(verifies(BEGIN + Base64.getEncoder().encodeToString(bytes(signature)) + "\n" + END))
                .isFalse();
        assertThat(verifies(BEGIN + "!" + signature.substring(BEGIN.length()))).isFalse();
    }

    @Test
    void a_private_key_file_is_padded_as_ssh_keygen_does_it() {
        SshWire.Reader file = new SshWire.Reader(Base64.getMimeDecoder()
                .decode(key.toOpenSsh()
                        .replace("-----BEGIN OPENSSH PRIVATE KEY-----\n", "")
                        .replace("-----END OPENSSH PRIVATE KEY-----\n", "")));
        file.raw("openssh-key-v1\0".length());
        file.expect("none");
        file.expect("none");
        file.expect("");
        assertThat(file.number()).isEqualTo(1);
        assertThat(file.string()).isEqualTo(key.publicKey().blob());
        byte[] secret = file.string();
        file.end();

        assertThat(secret.length % 8).isZero();
        SshWire.Reader parts = new SshWire.Reader(secret);
        assertThat(parts.number()).isEqualTo(parts.number());
        parts.expect(SshWire.ED25519);
        assertThat(parts.string()).isEqualTo(key.publicKey().raw());
        assertThat(parts.string()).hasSize(64).endsWith(key.publicKey().raw());
        parts.expect("");
        int padding = secret.length - 8 - 4 - SshWire.ED25519.length() - 4 - 32 - 4 - 64 - 4;
        for (int i = 1; i <= padding; i++) {
            assertThat(parts.raw(1)).containsExactly(i);
        }
        parts.end();
        assertThat(padding).isPositive();
    }

    @Test
    void a_length_beyond_the_end_is_refused() {
        byte[] four = {0, 0, 0, 1};
        assertThatIllegalArgumentException().isThrownBy(() -> new SshWire.Reader(four).string());
        assertThatIllegalArgumentException().isThrownBy(() -> new SshWire.Reader(four).raw(5));
        assertThatIllegalArgumentException().isThrownBy(() -> new SshWire.Reader(four).raw(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> new SshWire.Reader(new byte[] {-1, -1, -1, -1}).string());
        assertThatIllegalArgumentException().isThrownBy(() -> new SshWire.Reader(four).end());
        assertThat(new SshWire.Reader(four).raw(0)).isEmpty();
        assertThat(new SshWire.Reader(four).number()).isEqualTo(1);
    }

    private boolean verifies(String armoured) {
        return SshSignature.verifies(key.publicKey(), "git", MESSAGE, armoured);
    }

    /** The parts of a signature, as ssh-keygen lays them out. */
    private byte[] signature(int version, byte[] raw, byte... trailing) {
        byte[] inner = new SshWire.Writer()
                .string(SshWire.ED25519)
                .string(raw)
                .raw(trailing)
                .bytes();
        return new SshWire.Writer()
                .raw("SSHSIG".getBytes(US_ASCII))
                .number(version)
                .string(key.publicKey().blob())
                .string("git")
                .string("")
                .string("sha512")
                .string(inner)
                .bytes();
    }

    private static byte[] raw(String armoured) {
        byte[] bytes = bytes(armoured);
        return Arrays.copyOfRange(bytes, bytes.length - 64, bytes.length);
    }

    private static byte[] bytes(String armoured) {
        return Base64.getMimeDecoder().decode(armoured.substring(BEGIN.length(), armoured.length() - END.length()));
    }

    private static String armoured(byte[] bytes) {
        return BEGIN + Base64.getMimeEncoder(68, new byte[] {'\n'}).encodeToString(bytes) + "\n" + END;
    }

    @Test
    void what_is_signed_names_the_namespace_and_the_digest() {
        byte[] expected = new SshWire.Writer()
                .raw("SSHSIG".getBytes(US_ASCII))
                .string("git")
                .string("")
                .string("sha512")
                .string(Digests.digest("SHA-512").digest(MESSAGE))
                .bytes();

        assertThat(SshSignature.signedData("git", MESSAGE)).isEqualTo(expected);
    }
}
