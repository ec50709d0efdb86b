package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class DigitTest {

    static final List<List<Digit>> LEDGERS = List.of(ActivityLedger.DIGITS, GuidLedger.DIGITS);

    @ParameterizedTest
    @CsvSource({
        "LEG1_ATTEMPTS,         1_000_000_000_000, 1,  3,  999",
        "RESERVED,              1_000_000_000_000, 1,  3,  0",
        "LEG1_COMPLETE,         100_000_000_000,   4,  4,  1",
        "JOB_CLOSED,            100_000_000_000,   4,  4,  1",
        "WORK_DONE,             10_000_000_000,    5,  5,  1",
        "CHILDREN_SPAWNED,      1_000_000_000,     6,  6,  1",
        "COMPLETION_TASKS_DONE, 100_000_000,       7,  7,  1",
        "LEG2_ENTRIES,          1,                 8, 15,  99_999_999",
        "ATTEMPTS,              1,                 8, 15,  99_999_999",
    })
    void each_place_has_the_weight_and_the_position_of_the_digit_map(
            Digit digit, String weight, int first, int last, String maximum) {
        assertThat(digit.weight()).isEqualTo(Long.parseLong(weight.replace("_", "")));
        assertThat(digit.first()).isEqualTo(first);
        assertThat(digit.last()).isEqualTo(last);
        assertThat(digit.maximum()).isEqualTo(Integer.parseInt(maximum.replace("_", "")));
    }

    @ParameterizedTest
    @FieldSource("LEDGERS")
    void the_places_of_a_ledger_cover_all_15_digits_without_a_gap(List<Digit> ledger) {
        int next = 1;
        for (Digit digit : ledger) {
            assertThat(digit.first()).isEqualTo(next);
            next = digit.last() + 1;
        }
        assertThat(next).isEqualTo(16);
    }

    @Test
    void the_fullest_activity_ledger_has_15_digits() {
        long fullest = ActivityLedger.DIGITS.stream()
                .mapToLong(digit -> digit.weight() * digit.maximum())
                .sum();
        assertThat(fullest).isLessThanOrEqualTo(Digit.CEILING);
    }
}
