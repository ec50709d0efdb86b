package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UlidTest {

    private static final Seed SEED = Seed.orDefault(26);

    @ParameterizedTest
    @CsvSource({
        "00000000-0000-0000-0000-000000000000, 00000000000000000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff, 7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "00000000-0000-0000-0000-000000000020, 00000000000000000000000010",
        "00000000-0000-0001-0000-000000000000, 0000000000000G000000000000",
        "019ca93b-0a7b-7c5d-8f12-3456789abcde, 01KJMKP2KVFHERY4HMASW9NF6Y",
    })
    void the_text_is_the_number_in_base_32(String uuid, String text) {
        assertThat(Ulid.of(UUID.fromString(uuid))).hasToString(text);
        assertThat(Ulid.parse(text).uuid()).isEqualTo(UUID.fromString(uuid));
    }

    @Test
    void any_128_bits_are_read_back_and_sort_as_their_text() {
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 10_000; i++) {
            Ulid one = new Ulid(random.nextLong(), random.nextLong());
            Ulid other = new Ulid(random.nextBoolean() ? one.high() : random.nextLong(), random.nextLong());
            assertThat(Ulid.parse(one.toString())).as("%s, id %s", SEED, i).isEqualTo(one);
            assertThat(Integer.signum(one.compareTo(other)))
                    .as("%s, %s and %s", SEED, one, other)
                    .isEqualTo(Integer.signum(one.toString().compareTo(other.toString())));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "01KJMKP2KVFHERY4HMASW9NF6",
                "01KJMKP2KVFHERY4HMASW9NF6YY",
                "81KJMKP2KVFHERY4HMASW9NF6Y",
                "01kjmkp2kvfhery4hmasw9nf6y",
                "01KJMKP2KVFHERY4HMASW9NF6U",
                "OIKJMKP2KVFHERY4HMASW9NF6Y",
                "01KJMKP2KV-HERY4HMASW9NF6Y",
            })
    void any_other_text_is_refused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Ulid.parse(text));
    }
}
