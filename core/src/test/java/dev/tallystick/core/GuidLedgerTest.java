package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallystick.core.Entry.CeilingReached;
import dev.tallystick.core.Entry.Entered;
import dev.tallystick.core.Mark.AlreadyMarked;
import dev.tallystick.core.Mark.Marked;
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

    @Test
    void an_attempt_is_counted_up_to_the_ceiling_and_touches_nothing_else() {
        everyLedger(digits -> {
            GuidLedger ledger = GuidLedger.parse(digits);
            Entry<GuidLedger> expected = digits.endsWith("99999999")
                    ? new CeilingReached<>(ledger, Digit.ATTEMPTS)
                    : new Entered<>(new GuidLedger(ledger.value() + 1));
            assertThat(ledger.enter()).as(context(digits)).isEqualTo(expected);
            if (expected instanceof Entered<GuidLedger>(GuidLedger after)) {
                assertThat(after.digits()).startsWith(digits.substring(0, 7));
            }
        });
    }

    @Test
    void a_marker_is_set_once_and_touches_nothing_else() {
        everyLedger(digits -> {
            GuidLedger ledger = GuidLedger.parse(digits);
            assertThat(ledger.markWorkDone()).as(context(digits)).isEqualTo(expectedMark(digits, 5));
            assertThat(ledger.markChildrenSpawned(false)).as(context(digits)).isEqualTo(expectedMark(digits, 6));
            assertThat(ledger.markCompletionTasksDone()).as(context(digits)).isEqualTo(expectedMark(digits, 7));
        });
    }

    @Test
    void the_snapshot_is_taken_with_step_two_or_never() {
        everyLedger(digits -> {
            GuidLedger ledger = GuidLedger.parse(digits);
            Mark<GuidLedger> expected = digits.charAt(5) == '1'
                    ? new AlreadyMarked<>(ledger)
                    : new Marked<>(GuidLedger.parse(withOne(withOne(digits, 6), 4)));
            assertThat(ledger.markChildrenSpawned(true)).as(context(digits)).isEqualTo(expected);
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

    private static Mark<GuidLedger> expectedMark(String digits, int position) {
        return digits.charAt(position - 1) == '1'
                ? new AlreadyMarked<>(GuidLedger.parse(digits))
                : new Marked<>(GuidLedger.parse(withOne(digits, position)));
    }

    private static String withOne(String digits, int position) {
        return digits.substring(0, position - 1) + '1' + digits.substring(position);
    }

    private static String context(String digits) {
        return digits + " from " + SEED;
    }
}
