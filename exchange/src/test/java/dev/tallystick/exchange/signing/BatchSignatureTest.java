package dev.tallystick.exchange.signing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchSignatureTest {

    private static final SigningKey KEY = SigningKey.generate();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 500})
    void each_statement_of_a_batch_is_proven_and_no_other(int size) {
        List<byte[]> statements = statements(size);
        List<BatchSignature> signatures = BatchSignature.sign(KEY, statements);
        SignatureCheck check = new SignatureCheck();

        for (int i = 0; i < size; i++) {
            BatchSignature read = BatchSignature.parse(signatures.get(i).text());
            assertThat(read).isEqualTo(signatures.get(i));
            assertThat(check.isGood(KEY.publicKey(), statements.get(i), read)).isTrue();
            assertThat(check.isGood(KEY.publicKey(), statements.get((i + 1) % size), read))
                    .isEqualTo(size == 1);
        }
        assertThat(check.isGood(SigningKey.generate().publicKey(), statements.getFirst(), signatures.getFirst()))
                .isFalse();
    }

    @Test
    void a_changed_signature_is_refused_or_wrong() {
        List<byte[]> statements = statements(5);
        byte[] bytes = BatchSignature.sign(KEY, statements).get(3).bytes();

        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            assertThat(isGood(statements.get(3), changed)).as("byte %d", i).isFalse();
        }
        assertThat(isGood(statements.get(3), Arrays.copyOf(bytes, bytes.length - 32)))
                .isFalse();
        assertThat(isGood(statements.get(3), Arrays.copyOf(bytes, bytes.length + 32)))
                .isFalse();
        assertThatThrownBy(() -> BatchSignature.of(new byte[0])).hasMessageContaining("not a signature");
    }

    private static boolean isGood(byte[] statement, byte[] signature) {
        try {
            return new SignatureCheck().isGood(KEY.publicKey(), statement, BatchSignature.of(signature));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static List<byte[]> statements(int size) {
        return IntStream.range(0, size)
                .mapToObj(i -> ("statement " + i).getBytes(StandardCharsets.UTF_8))
                .toList();
    }
}
