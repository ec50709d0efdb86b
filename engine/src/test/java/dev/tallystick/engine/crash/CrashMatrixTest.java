package dev.tallystick.engine.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.QuietDeaths;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.CrashCoverage;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs each scenario in an engine that dies, at every point and at every arrival there; then one other engine finishes them all,
 * and each has one result, one set of activities, one completion and nothing left open.
 */
@ExtendWith(QuietDeaths.class)
class CrashMatrixTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    /** Polls seldom, so that most of the commits are those of the job. */
    private static final EngineSettings DYING = Workbench.SETTINGS.poll(Duration.ofMillis(500));

    /** Beyond this many arrivals at a commit, those of idle polls only. */
    private static final int MOST_ARRIVALS = 14;

    private static final int AT_ONCE = 4;

    /** What only bodies do. */
    private static final Set<EngineCrashPoint> OF_CODE_ALONE = EnumSet.of(
            EngineCrashPoint.DISPATCHED,
            EngineCrashPoint.FAILURE_RECORDED,
            EngineCrashPoint.TRANSACTED,
            EngineCrashPoint.CHILD_STARTED,
            EngineCrashPoint.PARKED,
            EngineCrashPoint.TIMER_RECORDED,
            EngineCrashPoint.UNDO_BEGUN,
            EngineCrashPoint.CONTINUED,
            EngineCrashPoint.RETURNED);

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @BeforeEach
    void open() {
        workbench.database().transact("create", tx -> tx.update("create table effect (job text)"));
    }

    static Stream<Scenario> scenarios() {
        return Scenario.all();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void a_job_whose_engine_died_anywhere_ends_once_with_one_of_everything(Scenario scenario) throws Exception {
        List<Death> deaths = deaths(scenario);
        assertThat(deaths).hasSizeGreaterThan(SqlCrashPoint.values().length);
        try (ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<Boolean>> begun = new ArrayList<>();
            for (Death death : deaths) {
                begun.add(pool.submit(() -> dieAt(scenario, death)));
            }
            int died = 0;
            for (Future<Boolean> each : begun) {
                died += each.get() ? 1 : 0;
            }
            assertThat(died).as("deaths of %s", deaths.size()).isGreaterThan(deaths.size() / 2);
        }

        Engine survivor = workbench.start(
                workbench.database(),
                Workbench.SETTINGS,
                CrashPoints.NONE,
                engine -> deaths.forEach(death -> scenario.register(engine, death.workflow())));
        deaths.forEach(death -> scenario.begin(workbench, survivor, death.workflow()));
        deaths.forEach(death -> assertOneOfEverything(scenario, survivor, death));
        Eventually.value("all is closed and acknowledged", workbench::violations, List::isEmpty);
    }

    @Test
    void every_declared_point_is_reached_by_graphs_or_if_it_is_of_code_alone_by_code() {
        List<EngineCrashPoint> missedByGraphs = unreachedBy(GraphCrashScenario.values());
        List<EngineCrashPoint> missedByCode = unreachedBy(CrashScenario.values());

        assertThat(missedByGraphs).isSubsetOf(OF_CODE_ALONE).noneMatch(missedByCode::contains);
    }

    private List<EngineCrashPoint> unreachedBy(Scenario... scenarios) {
        CrashCoverage<EngineCrashPoint> coverage = CrashCoverage.of(EngineCrashPoint.class);
        for (Scenario scenario : scenarios) {
            run(scenario, "alive-" + scenario, coverage.counting(CrashPoints.NONE));
        }
        return coverage.unreached();
    }

    /** A way to die: at the n-th arrival at a point. */
    private record Death(CrashPoint point, int arrival) {

        String workflow() {
            return point + "-" + arrival;
        }
    }

    private List<Death> deaths(Scenario scenario) {
        CrashCoverage<EngineCrashPoint> engine = CrashCoverage.of(EngineCrashPoint.class);
        CrashCoverage<SqlCrashPoint> sql = CrashCoverage.of(SqlCrashPoint.class);
        run(scenario, "alive", engine.counting(sql.counting(CrashPoints.NONE)));
        List<Death> deaths = new ArrayList<>();
        for (EngineCrashPoint point : EngineCrashPoint.values()) {
            for (int arrival = 1; arrival <= engine.arrivals(point); arrival++) {
                deaths.add(new Death(point, arrival));
            }
        }
        for (SqlCrashPoint point : List.of(SqlCrashPoint.BEFORE_COMMIT, SqlCrashPoint.AFTER_COMMIT)) {
            for (int arrival = 1; arrival <= Math.min(sql.arrivals(point), MOST_ARRIVALS); arrival++) {
                deaths.add(new Death(point, arrival));
            }
        }
        return deaths;
    }

    /** The whole scenario in one engine that lives. */
    private void run(Scenario scenario, String name, CrashPoints points) {
        Engine engine = dying(scenario, name, points);
        scenario.begin(workbench, engine, name);
        awaitClosed(name, CrashPoints.NONE);
        Eventually.value("all is closed and acknowledged", workbench::violations, List::isEmpty);
        engine.close();
    }

    /** Returns whether it came so far. Not every run polls as often as the one in which the arrivals were counted. */
    private boolean dieAt(Scenario scenario, Death death) {
        CrashAt crash = CrashAt.nth(death.point(), death.arrival());
        try {
            Engine engine = dying(scenario, death.workflow(), crash);
            try {
                scenario.begin(workbench, engine, death.workflow());
                awaitClosed(death.workflow(), crash);
            } catch (CompletionException cutOff) {
                assertThat(crash.hasCrashed()).as("%s", cutOff).isTrue();
            } finally {
                workbench.kill(engine);
            }
        } catch (SimulatedCrash dead) {
            // The process is gone, and so is everything it knew.
        }
        return crash.hasCrashed();
    }

    private Engine dying(Scenario scenario, String name, CrashPoints points) {
        Database database = Database.on(postgres.dataSource(), RandomGenerator.getDefault(), armedLater(points));
        return workbench.start(database, DYING, points, engine -> scenario.register(engine, name));
    }

    /** What a database does when it is opened is not what is tested here. */
    private static CrashPoints armedLater(CrashPoints points) {
        int[] opening = {2};
        return point -> {
            if (opening[0] > 0) {
                opening[0]--;
            } else {
                points.reached(point);
            }
        };
    }

    private void awaitClosed(String workflow, CrashPoints points) {
        Eventually.holds(
                workflow + " is closed, or its engine dead",
                () -> (points instanceof CrashAt crash && crash.hasCrashed()) || isClosed(workflow));
    }

    private boolean isClosed(String workflow) {
        return workbench
                .database()
                .transact("look", tx -> tx.first("""
                select coalesce(bool_and(closed_by is not null), false) as closed from tally.job where workflow = ?
                """, row -> row.getBoolean("closed"), workflow))
                .orElseThrow();
    }

    private void assertOneOfEverything(Scenario scenario, Engine survivor, Death death) {
        JobId job = workbench.submit(survivor, death.workflow(), death.workflow());
        Closed closed = workbench.await(survivor, job);
        assertThat(closed.outcome()).as("%s", death).isEqualTo(scenario.outcome());
        assertThat(workbench.result(closed)).as("%s", death).isEqualTo(scenario.result());
        assertThat(workbench.places(job)).as("%s", death).matches(scenario::leaves, "leaves the right activities");
        assertThat(workbench.marks(job)).as("%s", death).matches(scenario::marks, "marks what is done, once");
        assertThat(count("tally.job where workflow = '" + death.workflow() + "'"))
                .as("%s", death)
                .isEqualTo(scenario.jobs());
        assertThat(count("tally.job where parent_job = '" + job + "'"))
                .as("%s", death)
                .isEqualTo(scenario.children());
        Eventually.value(
                death + " leaves its children " + scenario.childOutcome(),
                () -> workbench.childrenOf(job),
                Collections.nCopies(scenario.children(), scenario.childOutcome().text())::equals);
        assertThat(count("effect where job = '" + job + "'")).as("%s", death).isEqualTo(scenario.effects());
    }

    private int count(String what) {
        return workbench
                .database()
                .transact("count", tx -> tx.first("select count(*) as n from " + what, row -> row.getInt("n")))
                .orElseThrow();
    }
}
