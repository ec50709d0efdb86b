package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.keys.GateSettings;
import dev.tallystick.keys.KeyRetention;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What governs a server, read from its environment before anything is opened. */
class ServerSettingsTest {

    private static final Path DATA = Path.of("data");

    @Test
    void all_that_governs_the_gate_comes_from_the_environment_and_is_checked() {
        Map<String, String> environment = Map.of(
                GateSettings.PENDING_TTL, "6",
                GateSettings.COMMITTED_TTL, "7",
                GateSettings.REJECTED_TTL, "8",
                GateSettings.MAX_ENTRIES, "9",
                GateSettings.CLEANUP_INTERVAL, "10",
                GateSettings.WAIT_FOR_PENDING, "false",
                GateSettings.PENDING_WAIT, "5");

        assertThat(ServerSettings.of(DATA, environment).broker().gate())
                .isEqualTo(new GateSettings(
                        Duration.ofSeconds(6),
                        Duration.ofSeconds(7),
                        Duration.ofSeconds(8),
                        9,
                        Duration.ofSeconds(10),
                        false,
                        Duration.ofSeconds(5)));
        for (String name : environment.keySet()) {
            assertThatThrownBy(() -> ServerSettings.of(DATA, Map.of(name, "nonsense")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(name);
        }
        assertThat(ServerSettings.of(DATA, Map.of()).broker().gate()).isEqualTo(GateSettings.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "29, 29", "31, 30", "365, 30"})
    void history_is_kept_for_30_days_but_not_for_longer_than_keys_are(String keys, int history) {
        assertThat(ServerSettings.of(DATA, Map.of(KeyRetention.SETTING, keys))
                        .broker()
                        .historyKept())
                .isEqualTo(Duration.ofDays(history));
    }

    @Test
    void a_budget_is_so_many_requests_in_so_many_seconds() {
        assertThat(ServerSettings.of(DATA, Map.of("TALLY_BUDGET", "50/2")).budget())
                .isEqualTo(new Limiter.Budget(50, Duration.ofSeconds(2)));
        assertThat(ServerSettings.of(DATA, Map.of()).budget()).isEqualTo(Limiter.Budget.DEFAULT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"50", "50/2s", "0/2", "5/0", "-1/2", "99999999999/1"})
    void a_budget_that_is_none_is_refused_by_its_name(String text) {
        assertThatThrownBy(() -> ServerSettings.of(DATA, Map.of("TALLY_BUDGET", text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TALLY_BUDGET");
    }

    @Test
    void a_server_has_as_many_connections_as_it_is_told_to_have() {
        assertThat(ServerSettings.of(DATA, Map.of("TALLY_CONNECTIONS", "12")).connections())
                .isEqualTo(12);
        assertThat(ServerSettings.of(DATA, Map.of()).connections()).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"11", "0", "-1", "many", "99999999999"})
    void too_few_connections_are_refused_by_their_name(String text) {
        assertThatThrownBy(() -> ServerSettings.of(DATA, Map.of("TALLY_CONNECTIONS", text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TALLY_CONNECTIONS");
    }
}
