package dev.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplainTest {

    @Test
    void an_activity_ledger_is_explained_digit_by_digit_with_what_comes_next() {
        Run run = Run.tally("explain", "001110000000001");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("""
            Activity ledger 001110000000001

              digits 1-3   001       Leg 1 was entered once.
              digit  4     1         Leg 1 is complete: handing out the work has committed.
              digit  5     1         Step 1, work: done. The result is recorded.
              digit  6     0         Step 2, children: not spawned, and the job's semaphore has not moved.
              digit  7     0         Step 3, completion tasks: not done here.
              digits 8-15  00000001  Leg 2 was entered once.

            The result is recorded; what follows from it is not.
            After a crash, step 1 is skipped and step 2 runs.
            """);
    }

    @Test
    void a_guid_ledger_is_explained_digit_by_digit_with_what_comes_next() {
        Run run = Run.tally("explain", "--guid", "000111000000002");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("""
            GUID ledger 000111000000002

              digits 1-3   000       Reserved.
              digit  4     1         This transition closed the job, so it owns the completion tasks.
              digit  5     1         Step 1, work: done. The result is recorded.
              digit  6     1         Step 2, children: spawned, and the job's semaphore moved with them.
              digit  7     0         Step 3, completion tasks: not done here.
              digits 8-15  00000002  The transition was claimed twice.

            The next claim skips steps 1 and 2, which have committed, and runs step 3.
            The job is closed, and no other transition will complete it.
            """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "000000000000000 | Leg 1 has not begun.",
                "001000000000000 | After a crash it runs again, as attempt 2.",
                "999000000000000 | No attempts are left",
                "001100000000000 | has no result yet",
                "001100000000001 | step 1 runs again",
                "001110000000001 | step 1 is skipped",
                "001111000000001 | Nothing is left to do here",
                "001111100000001 | Every step has committed",
                "001111000000007 | Each transition's own ledger",
                "001111099999999 | No entries are left",
            })
    void the_last_sentence_says_what_would_happen_to_the_activity(String digits, String sentence) {
        assertThat(Run.tally("explain", digits).out()).contains(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "000000000000000 | begins with step 1",
                "000010000000001 | continues with step 2",
                "000110000000001 | continues with step 2",
                "000011000000001 | only acknowledges it",
                "000111000000001 | runs step 3",
                "000111100000001 | only acknowledges it",
                "000010099999999 | No attempts are left",
            })
    void the_last_sentence_says_what_would_happen_to_the_transition(String digits, String sentence) {
        assertThat(Run.tally("explain", "--guid", digits).out()).contains(sentence);
    }

    @Test
    void json_has_a_field_for_every_digit() {
        Run run = Run.tally("explain", "--json", "017110100000003");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("""
            {"leg1_attempts":17,"leg1_complete":true,"work_done":true,"children_spawned":false,\
            "completion_tasks_done":true,"leg2_entries":3}
            """);
    }

    @Test
    void json_of_a_guid_ledger_has_its_own_fields() {
        Run run = Run.tally("explain", "--guid", "--json", "000110000000001");

        assertThat(run.out()).isEqualTo("""
            {"job_closed":true,"work_done":true,"children_spawned":false,\
            "completion_tasks_done":false,"attempts":1}
            """);
    }

    @Test
    void json_may_be_asked_for_anywhere() {
        Run before = Run.tally("--json", "explain", "001110000000001");
        Run between = Run.tally("explain", "--json", "001110000000001");
        Run after = Run.tally("explain", "001110000000001", "--json");

        assertThat(before).isEqualTo(between).isEqualTo(after);
        assertThat(before.out()).startsWith("{");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1001110000000001  | a ledger must have 15 digits, got 16      | Pass all 15 digits",
                "1110000000001     | a ledger must have 15 digits, got 13      | did you mean 001110000000001?",
                "''                | a ledger must have 15 digits, got 0       | Pass all 15 digits",
                "00111000000000x   | digits 0 to 9; character 15         | Pass all 15 digits",
                "-01110000000001   | a ledger must not be negative            | Pass all 15 digits",
                "-5                | a ledger must not be negative            | Pass all 15 digits",
                "001710000000001   | digit 4 (leg1 complete) is a flag and must be 0 or 1, got 7 | No sequence of increments yields",
                "001110900000001   | digit 7 (completion tasks done) is a flag and must be 0 or 1, got 9 | No sequence of increments yields",
            })
    void an_invalid_activity_ledger_is_refused_with_the_reason_and_advice(String digits, String why, String whatToDo) {
        Run run = Run.tally("explain", digits);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("tally explain: ").contains(why, whatToDo);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "001110000000001 | digits 1 to 3 are reserved | leave out --guid",
                "001710000000001 | digits 1 to 3 are reserved | No sequence of increments",
                "000210000000001 | digit 4 (job closed) is a flag | No sequence of increments",
            })
    void an_invalid_guid_ledger_is_refused_with_the_reason_and_advice(String digits, String why, String whatToDo) {
        Run run = Run.tally("explain", "--guid", digits);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(why, whatToDo);
    }

    @Test
    void a_missing_or_a_second_ledger_is_refused() {
        assertThat(Run.tally("explain").exitCode()).isEqualTo(2);
        assertThat(Run.tally("explain").err()).contains("LEDGER", "Try 'tally explain --help'.");
        assertThat(Run.tally("explain", "001110000000001", "001110000000001").exitCode())
                .isEqualTo(2);
    }
}
