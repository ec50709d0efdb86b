package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JsonCodec;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of the guide to encryption. */
class EncryptionGuideTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    /** AES-GCM: one byte for the key's id, twelve for the nonce, then what is sealed. */
    static final class EncryptingCodec implements Codec {
        private static final int NONCE_BYTES = 12;
        private static final int TAG_BITS = 128;

        private final Codec inner;
        private final Map<Byte, SecretKey> keys;
        private final byte current;
        private final SecureRandom random = new SecureRandom();

        EncryptingCodec(Codec inner, Map<Byte, SecretKey> keys, byte current) {
            this.inner = inner;
            this.keys = Map.copyOf(keys);
            this.current = current;
        }

        @Override
        public byte[] encode(@Nullable Object value) {
            byte[] nonce = new byte[NONCE_BYTES];
            random.nextBytes(nonce);
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, current, nonce, inner.encode(value));
            return ByteBuffer.allocate(1 + NONCE_BYTES + sealed.length)
                    .put(current)
                    .put(nonce)
                    .put(sealed)
                    .array();
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals")
        public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            byte key = in.get();
            byte[] nonce = new byte[NONCE_BYTES];
            in.get(nonce);
            byte[] sealed = new byte[in.remaining()];
            in.get(sealed);
            return inner.decode(cipher(Cipher.DECRYPT_MODE, key, nonce, sealed), type);
        }

        private byte[] cipher(int mode, byte keyId, byte[] nonce, byte[] input) {
            SecretKey key = keys.get(keyId);
            if (key == null) {
                throw new IllegalStateException("no key " + keyId + ": it is needed until its last payload is gone");
            }
            try {
                Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
                cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
                cipher.updateAAD(new byte[] {keyId});
                return cipher.doFinal(input);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("a payload under key " + keyId + " cannot be sealed or opened", e);
            }
        }
    }

    private static final SecretKey OLD_KEY =
            new SecretKeySpec("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII), "AES");
    private static final SecretKey NEW_KEY =
            new SecretKeySpec("fedcba9876543210fedcba9876543210".getBytes(StandardCharsets.US_ASCII), "AES");

    @Test
    void nothing_that_is_stored_shows_what_it_says() throws Exception {
        Codec codec = new EncryptingCodec(new JsonCodec(), Map.of((byte) 1, OLD_KEY), (byte) 1);
        try (Tallystick tally = tally(codec)) {
            register(tally);
            tally.start();
            JobHandle<String> job = tally.submit("secretive", "tulip", Submit.key("k"));
            answer(tally, "tulip rose");

            assertThat(job.result(PATIENCE)).isEqualTo("tulip rose tulip");
            assertThat(tally.<String>submit("secretive", "tulip", Submit.key("k"))
                            .isDuplicate())
                    .isTrue();
        }
        assertThat(stored()).isNotEmpty().noneMatch(bytes -> bytes.contains("tulip"));
    }

    @Test
    void a_job_begun_under_an_old_key_goes_on_under_a_new_one() throws Exception {
        JobHandle<String> begun;
        try (Tallystick tally = tally(new EncryptingCodec(new JsonCodec(), Map.of((byte) 1, OLD_KEY), (byte) 1))) {
            register(tally);
            tally.start();
            begun = tally.submit("secretive", "tulip", Submit.key("k"));
            asked(tally);
        }

        Codec codec = new EncryptingCodec(new JsonCodec(), Map.of((byte) 1, OLD_KEY, (byte) 2, NEW_KEY), (byte) 2);
        try (Tallystick tally = Tallystick.builder()
                .dataSource(postgres.dataSource())
                .codec(codec)
                .build()) {
            register(tally);
            tally.start();
            answer(tally, "yes");

            assertThat(tally.job(begun.id(), String.class).result(PATIENCE)).isEqualTo("yes tulip");
        }
    }

    @Test
    void a_payload_that_was_changed_or_whose_key_is_gone_is_not_taken_for_another() {
        Codec codec = new EncryptingCodec(new JsonCodec(), Map.of((byte) 1, OLD_KEY), (byte) 1);
        byte[] sealed = codec.encode("tulip");
        sealed[sealed.length - 1] ^= 1;

        assertThatThrownBy(() -> codec.<String>decode(sealed, String.class)).hasMessageContaining("cannot be");
        byte[] strange = codec.encode("tulip");
        strange[0] = 9;
        assertThatThrownBy(() -> codec.<String>decode(strange, String.class)).hasMessageContaining("no key 9");
    }

    private static Tallystick tally(Codec codec) {
        return Tallystick.builder()
                .dataSource(postgres.dataSource())
                .codec(codec)
                .build();
    }

    /** Uses all that a codec touches: input, steps, children, tasks, results. */
    private static void register(Tallystick tally) {
        tally.register("child", String.class, String.class, (ctx, input) -> input);
        tally.register("secretive", String.class, String.class, (ctx, input) -> {
            String kept = ctx.step("keep", String.class, () -> input);
            String back = ctx.child("child", kept, String.class);
            return ctx.task("confirm", String.class, Ask.group("florists").about(back)) + " " + kept;
        });
    }

    private static Task asked(Tallystick tally) {
        return Eventually.value(
                        "florists are asked", () -> tally.tasks().ofGroup("florists"), tasks -> !tasks.isEmpty())
                .getFirst();
    }

    private static void answer(Tallystick tally, String answer) {
        Task task = asked(tally);
        assertThat(task.details(String.class)).isEqualTo("tulip");
        tally.tasks().resolve(task.id(), "flora", answer, "answer-1");
    }

    private static List<String> stored() throws Exception {
        List<String> stored = new ArrayList<>();
        try (var connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("""
                        select input as bytes from tally.job
                        union all select output from tally.job
                        union all select output from tally.activity where output is not null
                        union all select payload from tally.signal
                        union all select details from tally.task
                        """)) {
            while (rows.next()) {
                stored.add(new String(rows.getBytes("bytes"), StandardCharsets.ISO_8859_1));
            }
        }
        return stored;
    }
}
