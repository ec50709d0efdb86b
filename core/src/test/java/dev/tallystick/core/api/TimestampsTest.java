package dev.tallystick.core.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Seed;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {

    private static final Seed SEED = Seed.orDefault(3339);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2030-01-31T12:00:00Z",
                "2030-01-31T12:00:00.5Z",
                "2030-01-31T12:00:00.123456789Z",
                "2030-01-31T12:00:00.Z",
                "2028-02-29T23:59:59Z",
                "2016-12-31T23:59:60Z",
                "2030-01-31T24:00:00Z",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999999999Z",
                "2030-01-31t12:00:00z",
                "+12030-01-31T12:00:00Z",
                "2030-01-31T12:00:00+01:00"
            })
    void an_unusual_time_means_what_it_means_to_the_jdk(String text) {
        assertThat(Timestamps.parse(text)).isEqualTo(Instant.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Z",
                "2030-01-31T12:00:00",
                "2030-01-31T12:00:00.1234567890Z",
                "2030-02-30T12:00:00Z",
                "2030-13-01T12:00:00Z",
                "2030-01-31T12:60:00Z",
                "2030-01-31T25:00:00Z",
                "2030-01-31T12:00:00,5Z",
                "2030-01-31 12:00:00Z",
                "2030-01-31T12:00:00.5xZ",
                "\u0662030-01-31T12:00:00Z"
            })
    void what_is_no_time_is_refused(String text) {
        assertThatThrownBy(() -> Timestamps.parse(text)).isInstanceOf(DateTimeException.class);
    }

    @Test
    void a_damaged_time_means_what_it_means_to_the_jdk() {
        String letters = "0123456789-:.TZ+ ";
        RandomGenerator random = SEED.random();
        for (int i = 0; i < 5_000; i++) {
            StringBuilder text =
                    new StringBuilder(random.nextBoolean() ? "2030-01-31T12:00:00Z" : "2030-01-31T12:00:00.250Z");
            text.setCharAt(random.nextInt(text.length()), letters.charAt(random.nextInt(letters.length())));
            if (random.nextBoolean()) {
                text.deleteCharAt(random.nextInt(text.length()));
            }
            String time = text.toString();
            assertThat(parsed(time, Timestamps::parse)).as(time + " " + SEED).isEqualTo(parsed(time, Instant::parse));
        }
    }

    private static Object parsed(String text, Function<String, Instant> parser) {
        try {
            return parser.apply(text);
        } catch (DateTimeException e) {
            return "no time";
        }
    }
}
