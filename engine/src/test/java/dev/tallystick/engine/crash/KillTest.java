package dev.tallystick.engine.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.HaltAt;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Engines that are killed for real, in processes of their own. */
class KillTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    /** The commits of opening the database, which come first. */
    private static final int OPENING = 1;

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @BeforeEach
    void open() {
        workbench.database().transact("create", tx -> tx.update("create table effect (job text)"));
    }

    static Stream<Arguments> sample() {
        return Stream.of(
                Arguments.of(CrashScenario.STEPS, EngineCrashPoint.STEP_RUN_UNRECORDED, 2),
                Arguments.of(CrashScenario.TRANSACTION, EngineCrashPoint.TRANSACTED, 1),
                Arguments.of(CrashScenario.ALL, EngineCrashPoint.RETURNED, 1),
                Arguments.of(CrashScenario.CHILD, EngineCrashPoint.CHILD_STARTED, 1),
                Arguments.of(GraphCrashScenario.GRAPH_FORK, EngineCrashPoint.STEP_RUN_UNRECORDED, 2),
                Arguments.of(GraphCrashScenario.GRAPH_CYCLE, EngineCrashPoint.GRAPH_MOVED, 2));
    }

    static Stream<Arguments> all() {
        return Scenario.all().flatMap(KillTest::deathsOf);
    }

    private static Stream<Arguments> deathsOf(Scenario scenario) {
        Stream<Arguments> engine = Stream.of(EngineCrashPoint.values()).map(point -> Arguments.of(scenario, point, 1));
        Stream<Arguments> commits = Stream.of(SqlCrashPoint.BEFORE_COMMIT, SqlCrashPoint.AFTER_COMMIT)
                .flatMap(point ->
                        Stream.of(1, 2, 3, 4, 5, 6).map(arrival -> Arguments.of(scenario, point, OPENING + arrival)));
        return Stream.concat(engine, commits);
    }

    @ParameterizedTest
    @MethodSource("sample")
    void a_job_whose_process_halted_ends_once(Scenario scenario, CrashPoint point, int arrival) {
        assertThat(haltAndFinish(scenario, point, arrival)).isEqualTo(HaltAt.EXIT_CODE);
    }

    @ParameterizedTest
    @MethodSource("all")
    @Tag("campaign")
    void a_job_whose_process_halted_anywhere_ends_once(Scenario scenario, CrashPoint point, int arrival) {
        haltAndFinish(scenario, point, arrival);
    }

    static Stream<Scenario> waiting() {
        return Stream.of(CrashScenario.SIGNAL, GraphCrashScenario.GRAPH_HOOK);
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void a_job_whose_process_got_kill_9_ends_once(Scenario scenario) {
        try (ChildJvm child = ChildJvm.of(KilledEngine.class).start(postgres.url(), scenario.name(), "killed")) {
            child.awaitLine("begun"::equals);
            child.kill();
        }
        finish(scenario, "killed");
    }

    /** Returns what the process exited with: it halted, or never came by and was killed. */
    private int haltAndFinish(Scenario scenario, CrashPoint point, int arrival) {
        int exit;
        try (ChildJvm child = ChildJvm.of(KilledEngine.class)
                .haltingAt(point, arrival)
                .start(postgres.url(), scenario.name(), "halted")) {
            Eventually.holds("it halts or has closed its job", () -> !child.isAlive() || isClosed("halted"));
            boolean killed = child.isAlive();
            if (killed) {
                child.kill();
            }
            exit = child.awaitExit();
            if (!killed) {
                assertThat(exit).as("it ended by itself").isEqualTo(HaltAt.EXIT_CODE);
            }
        }
        finish(scenario, "halted");
        return exit;
    }

    private boolean isClosed(String workflow) {
        String jobs = "job where workflow = '" + workflow + "'";
        return workbench.count(jobs) > 0 && workbench.count(jobs + " and closed_by is null") == 0;
    }

    private void finish(Scenario scenario, String name) {
        Engine survivor = workbench.start(
                workbench.database(), Workbench.SETTINGS, CrashPoints.NONE, engine -> scenario.register(engine, name));
        scenario.begin(workbench, survivor, name);
        JobId job = workbench.submit(survivor, name, name);
        Closed closed = workbench.await(survivor, job);
        assertThat(closed.outcome()).isEqualTo(scenario.outcome());
        assertThat(workbench.result(closed)).isEqualTo(scenario.result());
        assertThat(workbench.places(job)).matches(scenario::leaves, "leaves the right activities");
        assertThat(workbench.marks(job)).matches(scenario::marks, "marks what is done, once");
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
        assertThat(effects()).isEqualTo(scenario.effects());
    }

    private int effects() {
        return workbench
                .database()
                .transact("count", tx -> tx.first("select count(*) as n from effect", row -> row.getInt("n")))
                .orElseThrow();
    }
}
