package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobSemaphoreTest {

    @ParameterizedTest
    @CsvSource({
        "0, true,  -1",
        "1, true,   0",
        "2, true,   1",
        "3, true,   2",
        "0, false,  0",
        "2, false,  2",
    })
    void the_parent_closes_only_with_its_last_leg_two(int children, boolean last, long delta) {
        assertThat(JobSemaphore.delta(children, last)).isEqualTo(delta);
    }

    @Test
    void obligations_never_fall_below_zero_and_never_overflow() {
        assertThatIllegalArgumentException().isThrownBy(() -> new JobSemaphore(0).plus(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> JobSemaphore.delta(-1, true));
        assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> new JobSemaphore(Long.MAX_VALUE).plus(1));
    }

    @Test
    void any_threshold_can_be_hit() {
        assertThat(new JobSemaphore(0).isAt(0)).isTrue();
        assertThat(new JobSemaphore(12).isAt(12)).isTrue();
        assertThat(new JobSemaphore(12).isAt(0)).isFalse();
    }
}
