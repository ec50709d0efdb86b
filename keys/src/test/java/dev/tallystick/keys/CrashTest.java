package dev.tallystick.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.CrashCoverage;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TestPostgres;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs each scenario in a process that dies, at every point and at every arrival there, starts another process, and checks the
 * scenario's demands: one effect, and the same answer for every repeat of the request.
 */
class CrashTest {

    @RegisterExtension
    static final TestPostgres postgres = Effects.postgres();

    private final Database database = Effects.emptied(postgres);

    @ParameterizedTest
    @EnumSource
    void after_a_crash_at_any_point_a_repeat_gets_one_effect_and_one_answer(CrashScenario scenario) {
        int deaths = 0;
        for (CrashPoint point : points()) {
            CrashAt crash = CrashAt.first(point);
            for (int arrival = 1; dies(scenario.starting(database, point + "-" + arrival), crash); arrival++) {
                deaths++;
                crash = CrashAt.nth(point, arrival + 1);
            }
        }
        assertThat(deaths).isPositive();
    }

    @Test
    void every_declared_point_is_reached_by_some_scenario() {
        CrashCoverage<KeysCrashPoint> coverage = CrashCoverage.of(KeysCrashPoint.class);
        for (CrashScenario scenario : CrashScenario.values()) {
            begin(scenario.starting(database, "alive"), coverage.counting(CrashPoints.NONE));
        }
        coverage.assertComplete();
    }

    /** Whether a crash happened; if not, the scenario has passed the point for the last time. */
    private boolean dies(CrashScenario.Run run, CrashAt crash) {
        begin(run, crash);
        try (TestLedger restarted = TestLedger.on(postgres.dataSource())) {
            restarted.keys().recover(TestKeys.OWNER);
            run.finish(restarted);
        }
        return crash.hasCrashed();
    }

    private void begin(CrashScenario.Run run, CrashPoints crashPoints) {
        try (TestLedger ledger = TestLedger.on(postgres.dataSource(), TestKeys.OWNER, crashPoints)) {
            run.begin(ledger, crashPoints);
        } catch (SimulatedCrash dead) {
            // The process is gone, with everything in its memory.
        } catch (TransactionException | CrashScenario.HandlerFailure e) {
            // A process that survives would report this to its caller; it makes no difference to the next process.
        }
    }

    private static List<CrashPoint> points() {
        return Stream.<CrashPoint>concat(
                        Stream.of(KeysCrashPoint.values()),
                        Stream.of(SqlCrashPoint.BEFORE_COMMIT, SqlCrashPoint.AFTER_COMMIT))
                .toList();
    }
}
