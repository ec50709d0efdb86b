package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.IdempotencyKey.Minted;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {

    private static final Seed SEED = Seed.orDefault(40);

    @Test
    void a_bare_and_a_quoted_header_mean_the_same_key() {
        assertThat(IdempotencyKey.ofHeader("k")).isEqualTo(IdempotencyKey.ofHeader("\"k\""));
        assertThat(IdempotencyKey.ofHeader("\"a \\\"b\\\\\"").value()).isEqualTo("a \"b\\");
        assertThat(IdempotencyKey.ofHeader("a\"b\\").value()).isEqualTo("a\"b\\");
        assertThat(IdempotencyKey.ofHeader("\" k \"").value()).isEqualTo(" k ");

        for (String malformed : List.of("\"", "\"k", "\"k\\\"", "\"k\\n\"", "\"a\"b\"", "\"k\";v=1", "\"\"")) {
            assertThatIllegalArgumentException().as(malformed).isThrownBy(() -> IdempotencyKey.ofHeader(malformed));
        }
    }

    @Test
    void every_key_that_a_header_can_carry_comes_back_from_it() {
        for (String key : List.of("k", "\"k\"", "\"", "a\"b", "\\", " k", "k ", "a:1:b", "\"k\\")) {
            String header = new IdempotencyKey(key).header();
            assertThat(header).isEqualTo(header.strip());
            assertThat(IdempotencyKey.ofHeader(header).value()).isEqualTo(key);
        }
        assertThat(new IdempotencyKey("order:42").header()).isEqualTo("order:42");
    }

    @Test
    void a_minted_key_is_client_sequence_and_eight_random_bytes() {
        IdempotencyKey key = IdempotencyKey.mint("shop", 42, fixed(0x0807060504030201L));

        assertThat(key).hasToString("shop:42:0102030405060708");
    }

    @Test
    void a_minted_key_is_parsed_from_the_right_because_a_client_id_may_contain_colons() {
        IdempotencyKey key = new IdempotencyKey("host1.dc1:12345:42:a1b2c3d4e5f60718");

        assertThat(key.minted()).contains(new Minted("host1.dc1:12345", 42, "a1b2c3d4e5f60718"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "order-4711",
                "shop:42",
                ":42:a1b2c3d4e5f60718",
                "42:a1b2c3d4e5f60718",
                "shop:042:a1b2c3d4e5f60718",
                "shop:-1:a1b2c3d4e5f60718",
                "shop:1000000000000000000:a1b2c3d4e5f60718",
                "shop:42:A1B2C3D4E5F60718",
                "shop:42:a1b2c3d4e5f6071",
                "shop:42:a1b2c3d4e5f607180",
                "shop:42:a1b2c3d4e5f6g7h8",
            })
    void a_key_of_another_form_is_valid_and_has_no_parts(String text) {
        assertThat(new IdempotencyKey(text).minted()).isEmpty();
    }

    @Test
    void minted_keys_are_parsed_for_any_client_id() {
        RandomGenerator random = SEED.random();
        String[] words = {":", "::", "a", "0", "42", "a1b2c3d4e5f60718", " ", "\u00e9", "\ud83d\ude00"};
        for (int i = 0; i < 5_000; i++) {
            StringBuilder client = new StringBuilder(words[random.nextInt(words.length)]);
            for (int more = random.nextInt(5); more > 0; more--) {
                client.append(words[random.nextInt(words.length)]);
            }
            long sequence = random.nextLong(Minted.LARGEST_SEQUENCE + 1);
            IdempotencyKey key = IdempotencyKey.mint(client.toString(), sequence, random);

            Minted parts = key.minted().orElseThrow();
            assertThat(parts.clientId()).as("%s, key %s", SEED, key).isEqualTo(client.toString());
            assertThat(parts.sequence()).as("%s, key %s", SEED, key).isEqualTo(sequence);
            assertThat(parts.key()).isEqualTo(key);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\n", "a\tb", "\u0000", "\u007f", "\u0085", "a\u200bb", "\u202e", "\ufeff", "\u2028", "\u2029"})
    void invisible_characters_are_refused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new IdempotencyKey(text))
                .withMessageContaining("printable");
    }

    @Test
    void a_lone_surrogate_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new IdempotencyKey("a\ud800"));
    }

    @Test
    void a_key_has_1_to_255_characters_however_they_are_stored() {
        assertThat(new IdempotencyKey("k")).hasToString("k");
        assertThat(new IdempotencyKey("\ud83d\ude00".repeat(255)).value()).hasSize(510);
        assertThatIllegalArgumentException().isThrownBy(() -> new IdempotencyKey(""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new IdempotencyKey("k".repeat(256)))
                .withMessageContaining("1 to 255");
    }

    @Test
    void a_mint_refuses_keys_that_it_could_not_parse() {
        RandomGenerator random = SEED.random();
        assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKey.mint("", 1, random));
        assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKey.mint("a", -1, random));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IdempotencyKey.mint("a", Minted.LARGEST_SEQUENCE + 1, random));
        assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKey.mint("a".repeat(250), 1, random));
        assertThatIllegalArgumentException().isThrownBy(() -> new Minted("a", 1, "xyz"));
    }

    private static RandomGenerator fixed(long bits) {
        return () -> bits;
    }

    @Test
    void a_header_carries_ascii_alone() {
        assertThat(IdempotencyKey.fitsHeader("order ~42")).isTrue();
        assertThat(IdempotencyKey.fitsHeader("order\u007f")).isFalse();
        assertThat(IdempotencyKey.fitsHeader("größe")).isFalse();
    }

    @Test
    void a_sequence_has_eighteen_digits_at_most() {
        String nonce = "a1b2c3d4e5f60718";
        for (long possible : new long[] {0, Minted.LARGEST_SEQUENCE}) {
            Minted minted = new Minted("shop", possible, nonce);
            assertThat(minted.key().minted()).contains(minted);
        }
        for (long impossible : new long[] {-1, Minted.LARGEST_SEQUENCE + 1}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Minted("shop", impossible, nonce));
        }
    }
}
