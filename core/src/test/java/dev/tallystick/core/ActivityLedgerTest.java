package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ActivityLedgerTest {

    private static final Seed SEED = Seed.orDefault(20_260_101);

    @Test
    void every_combination_of_digits_reads_back_as_it_was_composed() {
        everyLedger(parts -> {
            ActivityLedger ledger = ActivityLedger.parse(parts.digits());
            assertThat(ledger.legOneAttempts()).as(parts.context()).isEqualTo(parts.attempts);
            assertThat(ledger.legOneComplete()).as(parts.context()).isEqualTo(parts.flag(0));
            assertThat(ledger.workDone()).as(parts.context()).isEqualTo(parts.flag(1));
            assertThat(ledger.childrenSpawned()).as(parts.context()).isEqualTo(parts.flag(2));
            assertThat(ledger.completionTasksDone()).as(parts.context()).isEqualTo(parts.flag(3));
            assertThat(ledger.legTwoEntries()).as(parts.context()).isEqualTo(parts.entries);
            assertThat(ledger.digits()).isEqualTo(parts.digits());
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void a_flag_digit_above_one_is_refused(int position) {
        for (int bad = 2; bad <= 9; bad++) {
            StringBuilder digits = new StringBuilder("001000000000001");
            digits.setCharAt(position - 1, (char) ('0' + bad));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ActivityLedger.parse(digits.toString()))
                    .withMessageContaining("digit " + position)
                    .withMessageContaining("is a flag and must be 0 or 1, got " + digits.charAt(position - 1));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "00111000000001",
                "1001110000000001",
                "-01110000000001",
                "+01110000000001",
                "00111000000000a",
                "001 10000000001",
                "001110000000001\n",
                "00111000000000\u0661",
                "99999999999999999999999999999999"
            })
    void anything_but_15_digits_is_refused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ActivityLedger.parse(text));
    }

    @Test
    void a_number_with_a_sign_or_a_sixteenth_digit_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ActivityLedger.parse("-1"))
                .withMessageContaining("must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ActivityLedger(-1))
                .withMessageContaining("must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ActivityLedger(1_000_000_000_000_000L))
                .withMessageContaining("15 digits");
    }

    /**
     * All 1000 attempt counts and all 16 combinations of the flags, each with the edges of the entry counter and a random one.
     */
    private static void everyLedger(Consumer<Parts> check) {
        RandomGenerator random = SEED.random();
        for (int attempts = 0; attempts <= 999; attempts++) {
            for (int flags = 0; flags < 16; flags++) {
                for (int entries : new int[] {0, 1, 99_999_998, 99_999_999, random.nextInt(100_000_000)}) {
                    check.accept(new Parts(attempts, flags, entries));
                }
            }
        }
    }

    /** A ledger as text in parts: the model for the arithmetic. */
    private record Parts(int attempts, int flags, int entries) {

        boolean flag(int index) {
            return (flags >> index & 1) == 1;
        }

        String digits() {
            StringBuilder text = new StringBuilder(15);
            pad(text, attempts, 3);
            for (int index = 0; index < 4; index++) {
                text.append(flag(index) ? '1' : '0');
            }
            pad(text, entries, 8);
            return text.toString();
        }

        String context() {
            return digits() + " from " + SEED;
        }

        private static void pad(StringBuilder text, int number, int width) {
            String decimal = Integer.toString(number);
            text.append("0".repeat(width - decimal.length())).append(decimal);
        }
    }
}
