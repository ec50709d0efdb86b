package dev.tallystick.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyRetentionTest {

    @Test
    void a_year_is_kept_unless_the_settings_say_otherwise() {
        assertThat(KeyRetention.from(Map.of())).isEqualTo(new KeyRetention(365));
        assertThat(KeyRetention.from(Map.of("TALLY_KEY_RETENTION_DAYS", " 30 ")))
                .isEqualTo(new KeyRetention(30));
    }

    @Test
    void the_minimum_is_a_week() {
        assertThat(new KeyRetention(7).duration()).isEqualTo(Duration.ofDays(7));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeyRetention(6))
                .withMessage("TALLY_KEY_RETENTION_DAYS must be between 7 and 36500 days, got 6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ten", "7.5", "-7", "0", "36501", "99999999999"})
    void an_invalid_number_of_days_is_refused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRetention.from(Map.of("TALLY_KEY_RETENTION_DAYS", text)))
                .withMessageContaining("TALLY_KEY_RETENTION_DAYS");
    }

    @Test
    void a_hundred_years_are_the_maximum_and_a_day_has_24_hours() {
        assertThat(new KeyRetention(36_500).hours()).isEqualTo(876_000);
        assertThat(new KeyRetention(7).hours()).isEqualTo(168);
    }
}
