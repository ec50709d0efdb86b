package dev.tallystick.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.QuietDeaths;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many engines, jobs and mishaps drawn from a seed. {@code -Dtally.simulation=} sets the length in seconds. */
@ExtendWith({Seeded.class, QuietDeaths.class})
class SimulationTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("tally.simulation", 60));
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void engines_that_crash_pause_and_lose_replies_break_no_rule(Randomness random) {
        assertThat(simulate(LENGTH, random)).isEmpty();
    }

    @Test
    @Tag("campaign")
    void engines_that_crash_pause_and_lose_replies_for_twenty_minutes_break_no_rule(Randomness random) {
        assertThat(simulate(Duration.ofMinutes(20), random)).isEmpty();
    }

    private static List<String> simulate(Duration budget, Randomness random) {
        System.out.println("simulating " + budget + " from seed " + random.seed());
        try (Simulation simulation = new Simulation(postgres, UnaryOperator.identity(), random)) {
            List<String> wrong = simulation.run(budget, PATIENCE);
            System.out.println("simulated " + simulation.summary());
            return wrong;
        }
    }
}
