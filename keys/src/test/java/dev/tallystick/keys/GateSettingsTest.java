package dev.tallystick.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GateSettingsTest {

    @Test
    void missing_settings_have_defaults() {
        assertThat(GateSettings.from(Map.of()))
                .isEqualTo(new GateSettings(
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(300),
                        Duration.ofSeconds(60),
                        100_000,
                        Duration.ofSeconds(10),
                        true,
                        Duration.ofSeconds(30)));
    }

    @Test
    void all_seven_can_be_set() {
        assertThat(GateSettings.from(Map.of(
                        "IDEMPOTENCY_PENDING_TTL_SECONDS", "5.5",
                        "IDEMPOTENCY_COMMITTED_TTL_SECONDS", "4",
                        "IDEMPOTENCY_REJECTED_TTL_SECONDS", " 3 ",
                        "IDEMPOTENCY_MAX_ENTRIES", "2",
                        "IDEMPOTENCY_CLEANUP_INTERVAL_SECONDS", "1",
                        "IDEMPOTENCY_WAIT_FOR_PENDING", "false",
                        "IDEMPOTENCY_PENDING_WAIT_TIMEOUT", "0.25")))
                .isEqualTo(new GateSettings(
                        Duration.ofMillis(5500),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(3),
                        2,
                        Duration.ofSeconds(1),
                        false,
                        Duration.ofMillis(250)));
    }

    @ParameterizedTest
    @CsvSource({
        "IDEMPOTENCY_PENDING_TTL_SECONDS, 0",
        "IDEMPOTENCY_PENDING_TTL_SECONDS, -1",
        "IDEMPOTENCY_PENDING_TTL_SECONDS, NaN",
        "IDEMPOTENCY_COMMITTED_TTL_SECONDS, Infinity",
        "IDEMPOTENCY_COMMITTED_TTL_SECONDS, 86401",
        "IDEMPOTENCY_REJECTED_TTL_SECONDS, soon",
        "IDEMPOTENCY_MAX_ENTRIES, 0",
        "IDEMPOTENCY_MAX_ENTRIES, 1.5",
        "IDEMPOTENCY_MAX_ENTRIES, 99999999999",
        "IDEMPOTENCY_CLEANUP_INTERVAL_SECONDS, 0",
        "IDEMPOTENCY_WAIT_FOR_PENDING, yes",
        "IDEMPOTENCY_PENDING_WAIT_TIMEOUT, 61"
    })
    void invalid_settings_are_refused_by_name(String name, String value) {
        assertThatThrownBy(() -> GateSettings.from(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "IDEMPOTENCY_PENDING_TTL_SECONDS",
                "IDEMPOTENCY_COMMITTED_TTL_SECONDS",
                "IDEMPOTENCY_REJECTED_TTL_SECONDS",
                "IDEMPOTENCY_CLEANUP_INTERVAL_SECONDS"
            })
    void a_time_is_more_than_nothing_and_a_day_at_most(String name) {
        assertThat(GateSettings.from(Map.of(name, "86400"))).isNotNull();
        for (String none : List.of("0", "1e-12", "86400.001")) {
            assertThatThrownBy(() -> GateSettings.from(Map.of(name, none)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(name);
        }
    }

    @Test
    void the_bounds_themselves_are_possible() {
        assertThat(entries("1").maxEntries()).isEqualTo(1);
        assertThat(entries("10000000").maxEntries()).isEqualTo(10_000_000);
        assertThatThrownBy(() -> entries("10000001")).hasMessageContaining("between 1 and 10000000, got 10000001");
        assertThat(GateSettings.from(Map.of("IDEMPOTENCY_PENDING_WAIT_TIMEOUT", "60"))
                        .pendingWait())
                .isEqualTo(Duration.ofSeconds(60));
        assertThatThrownBy(() -> GateSettings.from(Map.of("IDEMPOTENCY_PENDING_WAIT_TIMEOUT", "60.5")))
                .hasMessageContaining("(60.5 s) must be at most IDEMPOTENCY_PENDING_TTL_SECONDS (60.0 s)");
        assertThatThrownBy(() -> GateSettings.from(Map.of("IDEMPOTENCY_PENDING_WAIT_TIMEOUT", "0")))
                .hasMessageContaining("IDEMPOTENCY_PENDING_WAIT_TIMEOUT");
    }

    private static GateSettings entries(String number) {
        return GateSettings.from(Map.of("IDEMPOTENCY_MAX_ENTRIES", number));
    }
}
