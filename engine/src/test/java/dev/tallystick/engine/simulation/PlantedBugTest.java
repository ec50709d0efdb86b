package dev.tallystick.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.QuietDeaths;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.code.PlantedBug;
import dev.tallystick.engine.interleaving.CodeDrill;
import dev.tallystick.engine.interleaving.LedgerDrill;
import dev.tallystick.engine.interleaving.ShortWayDrill;
import dev.tallystick.testkit.Randomness;
import dev.tallystick.testkit.Seeded;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Proof that the checks would notice what they are there for. */
@ExtendWith({Seeded.class, QuietDeaths.class})
class PlantedBugTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    @Test
    void a_dropped_guard_is_caught() {
        assertCaught(PlantedBug.A_GUARD_DROPPED);
    }

    @Test
    void a_dropped_fence_is_caught() {
        assertCaught(PlantedBug.THE_FENCE_DROPPED);
    }

    @Test
    void a_random_guid_is_caught() {
        assertCaught(PlantedBug.A_RANDOM_GUID);
    }

    @Test
    void job_state_that_is_checked_before_the_guid_ledger_is_caught() {
        assertCaught(PlantedBug.JOB_STATE_CHECKED_BEFORE_THE_GUID_LEDGER);
    }

    @Test
    void an_unbundled_marker_is_caught() {
        assertCaught(PlantedBug.A_MARKER_UNBUNDLED);
    }

    @Test
    void two_guids_of_one_job_that_are_applied_once_in_a_batch_are_caught() {
        assertCaught(PlantedBug.TWO_GUIDS_OF_ONE_JOB_APPLIED_ONCE);
    }

    @Test
    void a_dimension_from_the_activity_counter_is_caught() {
        assertCaught(PlantedBug.THE_DIMENSION_FROM_THE_ACTIVITY_COUNTER);
    }

    @Test
    void a_result_and_an_acknowledgement_in_two_transactions_are_caught() {
        assertCaught(PlantedBug.RESULT_AND_ACKNOWLEDGEMENT_IN_TWO_TRANSACTIONS);
    }

    @Test
    void nothing_is_found_wrong_with_the_engine_as_it_is() {
        assertThat(new LedgerDrill(postgres.dataSource()).violations()).isEmpty();
    }

    @Test
    void nothing_is_found_wrong_with_the_short_way_of_plain_moves() {
        assertThat(new ShortWayDrill(postgres.dataSource()).violations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            names = {"SHORT_WAY_.*", "THE_FENCE_DROPPED"},
            mode = EnumSource.Mode.MATCH_ANY)
    void a_mistake_on_the_short_way_is_caught(PlantedBug bug) {
        assertCaught(bug, new ShortWayDrill(bug.in(postgres.dataSource())).violations());
    }

    @Test
    void nothing_is_found_wrong_with_branches_meshes_and_misuse() {
        assertThat(new CodeDrill(postgres.dataSource(), ctx -> {}).violations()).isEmpty();
    }

    @Test
    void a_losing_branch_that_is_not_ended_is_caught() {
        assertCaughtInCode(PlantedBug.A_LOSING_BRANCH_NOT_ENDED);
    }

    @Test
    void a_mesh_that_is_left_out_of_a_where_is_caught() {
        assertCaughtInCode(PlantedBug.A_MESH_LEFT_OUT_OF_A_WHERE);
    }

    @Test
    void a_commit_inside_a_transaction_step_that_goes_unnoticed_is_caught() {
        assertCaughtInCode(PlantedBug.A_COMMIT_INSIDE_A_TRANSACTION_STEP_UNNOTICED);
    }

    @Test
    void a_nested_step_that_is_accepted_is_caught() {
        assertCaughtInCode(PlantedBug.A_NESTED_STEP_ACCEPTED);
    }

    /** The seeds are such that one of the first graphs shows it. */
    @ParameterizedTest
    @EnumSource(names = "ROUNDS_.*", mode = EnumSource.Mode.MATCH_ANY)
    void a_mistake_about_rounds_is_caught_by_random_graphs(PlantedBug bug) {
        try (GraphComparison comparison = new GraphComparison(bug.in(postgres.dataSource()))) {
            PrimitiveIterator.OfLong seeds = LongStream.range(11, 60).iterator();
            comparison.compare(() -> seeds.hasNext() ? OptionalLong.of(seeds.nextLong()) : OptionalLong.empty());
            assertCaught(bug, comparison.wrong());
        }
    }

    private static void assertCaughtInCode(PlantedBug bug) {
        List<String> caught = new CodeDrill(bug.in(postgres.dataSource()), bug::misled).violations();
        assertCaught(bug, caught);
        assertThat(caught).as("no other drill fails by it").hasSize(1);
    }

    private static void assertCaught(PlantedBug bug) {
        assertCaught(bug, new LedgerDrill(bug.in(postgres.dataSource())).violations());
    }

    private static void assertCaught(PlantedBug bug, List<String> caught) {
        assertThat(bug.isPlanted())
                .as("the statement to plant it in is still there")
                .isTrue();
        assertThat(caught).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "JOB_STATE_CHECKED_BEFORE_THE_GUID_LEDGER",
                "THE_DIMENSION_FROM_THE_ACTIVITY_COUNTER",
                "SHORT_WAY_.*",
                "ROUNDS_.*",
                "A_MESH_LEFT_OUT_OF_A_WHERE",
                "A_COMMIT_INSIDE_A_TRANSACTION_STEP_UNNOTICED",
                "A_NESTED_STEP_ACCEPTED"
            },
            mode = EnumSource.Mode.MATCH_NONE)
    @Tag("campaign")
    void a_planted_bug_is_caught_by_the_simulation_too(PlantedBug bug, Randomness random) {
        try (Simulation simulation = new Simulation(postgres, bug::in, random)) {
            List<String> caught = simulation.run(Duration.ofMinutes(2), Duration.ofSeconds(10));
            System.out.println(bug + " caught: " + caught.stream().findFirst().orElse("-"));
            assertThat(caught).isNotEmpty();
        }
    }
}
