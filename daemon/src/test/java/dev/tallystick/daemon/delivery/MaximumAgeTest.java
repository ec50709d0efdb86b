package dev.tallystick.daemon.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The times of delivery are arithmetic. */
class MaximumAgeTest {

    @ParameterizedTest
    @CsvSource({"7, 144", "10, 216", "11, 237", "30, 648", "365, 7884"})
    void a_tenth_of_the_retention_is_a_margin_and_at_least_a_day(int days, int hours) {
        assertThat(MaximumAge.of(days, null)).isEqualTo(Duration.ofHours(hours));
    }

    @Test
    void an_override_leaves_at_least_a_day() {
        assertThat(MaximumAge.of(7, Duration.ofDays(6))).isEqualTo(Duration.ofDays(6));
        assertThat(MaximumAge.of(30, Duration.ofDays(29))).isEqualTo(Duration.ofDays(29));
        assertThatThrownBy(() -> MaximumAge.of(30, Duration.ofHours(697))).hasMessageContaining("at most 696 hours");
        assertThatThrownBy(() -> MaximumAge.of(30, Duration.ZERO)).hasMessageContaining("positive");
    }

    @Test
    void a_server_that_remembers_for_less_than_a_week_is_unsuitable() {
        assertThatThrownBy(() -> MaximumAge.of(6, null)).hasMessageContaining("6 days");
    }

    @Test
    void pauses_double_up_to_half_a_minute_with_jitter() {
        Random random = new Random(7);
        for (int failures = 1; failures < 40; failures++) {
            double most = Math.min(30_000, 500 * Math.pow(2, failures - 1));
            assertThat((double) Backoff.DEFAULT.pause(failures, random).toMillis())
                    .isBetween(most * 0.75 - 1, most);
        }
    }
}
