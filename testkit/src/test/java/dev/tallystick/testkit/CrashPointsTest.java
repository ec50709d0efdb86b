package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import org.junit.jupiter.api.Test;

class CrashPointsTest {

    private enum Step implements CrashPoint {
        BEFORE,
        BETWEEN {
            @Override
            public String toString() {
                return "a constant with a body has its own class";
            }
        },
        AFTER
    }

    @Test
    void it_dies_at_the_named_point_only() {
        CrashAt crash = CrashAt.first(Step.BETWEEN);
        crash.reached(Step.BEFORE);
        assertThatThrownBy(() -> crash.reached(Step.BETWEEN))
                .isInstanceOf(SimulatedCrash.class)
                .isNotInstanceOf(Exception.class)
                .hasMessage("crashed at Step.BETWEEN");
        assertThat(crash.hasCrashed()).isTrue();
    }

    @Test
    void it_dies_at_the_nth_arrival() {
        CrashAt crash = CrashAt.nth(Step.BEFORE, 3);
        crash.reached(Step.BEFORE);
        crash.reached(Step.BEFORE);
        assertThat(crash.hasCrashed()).isFalse();
        assertThatThrownBy(() -> crash.reached(Step.BEFORE)).isInstanceOf(SimulatedCrash.class);
        assertThatThrownBy(() -> CrashAt.nth(Step.BEFORE, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_dead_stay_dead_at_every_point_and_on_every_thread() throws InterruptedException {
        CrashAt crash = CrashAt.first(Step.BETWEEN);
        Thread dying = Thread.ofVirtual().start(() -> swallow(crash, Step.BETWEEN));
        crash.awaitCrash();
        dying.join();
        assertThatThrownBy(() -> crash.reached(Step.BEFORE)).isInstanceOf(SimulatedCrash.class);
        assertThatThrownBy(() -> crash.reached(Step.BETWEEN)).isInstanceOf(SimulatedCrash.class);
    }

    @Test
    void coverage_counts_arrivals_and_passes_them_on() {
        CrashCoverage<Step> coverage = CrashCoverage.of(Step.class);
        CrashAt crash = CrashAt.first(Step.AFTER);
        CrashPoints points = coverage.counting(crash);
        points.reached(Step.BEFORE);
        points.reached(Step.BEFORE);
        assertThatThrownBy(() -> points.reached(Step.AFTER)).isInstanceOf(SimulatedCrash.class);

        assertThat(coverage.arrivals(Step.BEFORE)).isEqualTo(2);
        assertThat(coverage.arrivals(Step.AFTER)).isEqualTo(1);
        assertThat(coverage.unreached()).containsExactly(Step.BETWEEN);
    }

    @Test
    void a_point_that_no_test_reaches_fails_the_coverage_by_name() {
        CrashCoverage<Step> coverage = CrashCoverage.of(Step.class);
        coverage.reached(Step.BEFORE);
        coverage.reached(Step.BETWEEN);
        assertThatThrownBy(coverage::assertComplete)
                .isInstanceOf(AssertionError.class)
                .hasMessage("crash points that no test reaches: [AFTER]");
        coverage.reached(Step.AFTER);
        assertThatCode(coverage::assertComplete).doesNotThrowAnyException();
    }

    private static void swallow(CrashPoints points, CrashPoint point) {
        try {
            points.reached(point);
        } catch (SimulatedCrash expected) {
            assertThat(expected.point()).isEqualTo(point);
        }
    }
}
