package dev.tallystick.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class PeerCheckTest {

    @Test
    void a_peer_that_was_held_back_is_named() {
        Map<String, Double> run = Map.of("floor.c1", 2_740.0, "dbos.1step.c1", 600.0);

        assertThat(PeerCheck.doubts(name -> rate(run, name)))
                .singleElement()
                .asString()
                .contains("dbos.1step.c1", "0.63");
    }

    @Test
    void a_peer_that_keeps_up_with_the_floor_is_not() {
        Map<String, Double> run = Map.of("floor.c8", 2_700.0, "dbos.1step.c32", 737.0, "jobrunr.batch", 800.0);

        assertThat(PeerCheck.doubts(name -> rate(run, name))).isEmpty();
    }

    private static OptionalDouble rate(Map<String, Double> run, String name) {
        Double rate = run.get(name);
        return rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate);
    }
}
