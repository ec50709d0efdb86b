package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.fail;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** For any bytes, the parser either reads a value that it can write and read again, or refuses with a reason. */
class JsonFuzzTest {

    private static final Seed SEED = Seed.orDefault(4_627);
    private static final byte[] TELLING = "{}[]\",:\\ue+-.0123456789truefalsn \n\0".getBytes(StandardCharsets.UTF_8);

    @Test
    void random_bytes_are_read_or_refused() {
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            readOrRefuse(bytes);
        }
    }

    @Test
    void random_tokens_are_read_or_refused() {
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = new byte[random.nextInt(20)];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = TELLING[random.nextInt(TELLING.length)];
            }
            readOrRefuse(bytes);
        }
    }

    @Test
    void damaged_documents_are_read_or_refused() {
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = RandomJson.document(random).getBytes(StandardCharsets.UTF_8);
            for (int damage = random.nextInt(1, 4); damage > 0; damage--) {
                bytes = damaged(bytes, random);
            }
            readOrRefuse(bytes);
        }
    }

    private static byte[] damaged(byte[] bytes, RandomGenerator random) {
        if (bytes.length == 0) {
            return bytes;
        }
        int at = random.nextInt(bytes.length);
        byte[] copy = bytes.clone();
        switch (random.nextInt(4)) {
            case 0 -> copy[at] = (byte) random.nextInt();
            case 1 -> copy[at] = TELLING[random.nextInt(TELLING.length)];
            case 2 -> copy = Arrays.copyOf(bytes, at);
            default -> System.arraycopy(bytes, at / 2, copy, at, Math.min(at - at / 2, bytes.length - at));
        }
        return copy;
    }

    private static void readOrRefuse(byte[] bytes) {
        String context = SEED + ", bytes " + HexFormat.of().formatHex(bytes);
        Json value;
        try {
            value = Json.parse(bytes);
        } catch (JsonRefused refused) {
            assertThat(refused.position()).as(context).isBetween(0, bytes.length);
            return;
        } catch (RuntimeException | StackOverflowError e) {
            fail(context, e);
            return;
        }
        String canonical = value.canonical();
        assertThatCode(() -> assertThat(Json.parse(canonical)).isEqualTo(value))
                .as(context)
                .doesNotThrowAnyException();
    }
}
