package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GuidLedgerTest {

    private static final Seed SEED = Seed.orDefault(20_260_102);

    @Test
    void every_combination_of_digits_reads_back_as_it_was_composed() {
        everyLedger(digits -> {
            GuidLedger ledger = GuidLedger.parse(digits);
            assertThat(ledger.jobClosed()).as(context(digits)).isEqualTo(digits.charAt(3) == '1');
            assertThat(ledger.workDone()).as(context(digits)).isEqualTo(digits.charAt(4) == '1');
            assertThat(ledger.childrenSpawned()).as(context(digits)).isEqualTo(digits.charAt(5) == '1');
            assertThat(ledger.completionTasksDone()).as(context(digits)).isEqualTo(digits.charAt(6) == '1');
            assertThat(ledger.attempts()).as(context(digits)).isEqualTo(Integer.parseInt(digits.substring(7)));
            assertThat(ledger.digits()).isEqualTo(digits);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "000000000000001, WORK",
        "000010000000001, CHILDREN",
        "000011000000001,",
        "000111000000001, COMPLETION_TASKS",
        "000111100000001,",
        "000100000000001, WORK",
        "000110000000001, CHILDREN",
    })
    void the_ledger_alone_says_where_to_resume(String digits, Step next) {
        assertThat(GuidLedger.parse(digits).nextStep().orElse(null)).isEqualTo(next);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void a_flag_digit_above_one_is_refused(int position) {
        for (int bad = 2; bad <= 9; bad++) {
            StringBuilder digits = new StringBuilder("000000000000001");
            digits.setCharAt(position - 1, (char) ('0' + bad));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> GuidLedger.parse(digits.toString()))
                    .withMessageContaining("digit " + position);
        }
    }

    @Test
    void the_reserved_digits_stay_zero() {
        for (int reserved = 1; reserved <= 999; reserved++) {
            long value = reserved * 1_000_000_000_000L;
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new GuidLedger(value))
                    .withMessageContaining("digits 1 to 3 are reserved");
        }
    }

    /** All 16 combinations of the flags, with the edges of the attempt counter and a few thousand random ones. */
    private static void everyLedger(Consumer<String> check) {
        RandomGenerator random = SEED.random();
        for (int flags = 0; flags < 16; flags++) {
            String head = "000" + Integer.toBinaryString(16 + flags).substring(1);
            for (String edge : new String[] {"00000000", "00000001", "09999999", "99999998", "99999999"}) {
                check.accept(head + edge);
            }
            for (int i = 0; i < 2_000; i++) {
                check.accept(head
                        + Integer.toString(100_000_000 + random.nextInt(100_000_000))
                                .substring(1));
            }
        }
    }

    private static String context(String digits) {
        return digits + " from " + SEED;
    }
}
