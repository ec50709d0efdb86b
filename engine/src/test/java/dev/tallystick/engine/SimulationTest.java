package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many engines, jobs and mishaps drawn from a seed; and proof that the checks would notice what they are there for. */
@ExtendWith(Seeded.class)
class SimulationTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void engines_that_crash_pause_and_lose_replies_break_no_rule(Randomness random) {
        assertThat(simulate(Duration.ofSeconds(15), random)).isEmpty();
    }

    @Test
    @Tag("campaign")
    void engines_that_crash_pause_and_lose_replies_for_twenty_minutes_break_no_rule(Randomness random) {
        assertThat(simulate(Duration.ofMinutes(20), random)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void a_planted_bug_is_caught_by_the_drill(PlantedBug bug) {
        List<String> caught = new LedgerDrill(bug.in(postgres.dataSource())).violations();

        assertThat(bug.isPlanted())
                .as("the statement to plant it in is still there")
                .isTrue();
        assertThat(caught).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            names = {"JOB_STATE_CHECKED_BEFORE_THE_GUID_LEDGER", "THE_DIMENSION_FROM_THE_ACTIVITY_COUNTER"},
            mode = EnumSource.Mode.EXCLUDE)
    @Tag("campaign")
    void a_planted_bug_is_caught_by_the_simulation(PlantedBug bug, Randomness random) {
        try (Simulation simulation = new Simulation(postgres, bug::in, random)) {
            List<String> caught = simulation.run(Duration.ofMinutes(2), Duration.ofSeconds(10));
            System.out.println(bug + " caught: " + caught.stream().findFirst().orElse("-"));
            assertThat(caught).isNotEmpty();
        }
    }

    @Test
    void the_drill_finds_nothing_wrong_with_the_engine_as_it_is() {
        assertThat(new LedgerDrill(postgres.dataSource()).violations()).isEmpty();
    }

    private static List<String> simulate(Duration budget, Randomness random) {
        try (Simulation simulation = new Simulation(postgres, UnaryOperator.identity(), random)) {
            List<String> wrong = simulation.run(budget, PATIENCE);
            System.out.println("simulated " + simulation.summary());
            return wrong;
        }
    }
}
