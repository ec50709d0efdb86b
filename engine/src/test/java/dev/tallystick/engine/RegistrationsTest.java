package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Processes that die while they say what they run. */
class RegistrationsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Graph GRAPH = Graph.named("greeting")
            .trigger("start")
            .worker("greet", "input")
            .from("start", "greet")
            .output("greet")
            .build();

    /** What opening a database commits comes first. */
    private static final int OPENING = 1;

    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = SqlCrashPoint.class,
            names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
    void a_process_that_dies_while_it_registers_leaves_all_of_it_or_nothing_and_the_next_one_makes_it_good(
            SqlCrashPoint point) {
        CrashAt crash = CrashAt.nth(point, OPENING + 1);
        Database dying = Database.on(postgres.dataSource(), RandomGenerator.getDefault(), crash);
        assertThatThrownBy(() -> new Registrations(dying).add(GRAPH)).isInstanceOf(SimulatedCrash.class);
        assertThat(bench.workbench().count("workflow")).isEqualTo(point == SqlCrashPoint.AFTER_COMMIT ? 1 : 0);

        new Registrations(bench.workbench().database()).add(GRAPH);

        assertThat(bench.workbench().count("workflow")).isEqualTo(1);
        JobId job;
        try (Engine submitting = bench.workbench().idle()) {
            job = bench.submit(submitting, "greeting", Map.of());
        }
        Engine engine =
                bench.graph(GRAPH).worker("greet", (work, input) -> "hello").start();
        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("hello");
        assertThat(bench.violations()).isEmpty();
    }
}
