package dev.tallystick.engine.model;

import static dev.tallystick.engine.model.Ledgers.leg;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Step;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.upkeep.CompletionSweeper;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of the ledgers, each on the statements that have to keep it. */
class CollationStoreTest {

    private static final int ALL = 100;

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final Ledgers ledgers = new Ledgers(postgres.dataSource());

    @Test
    void rule_a_a_replay_only_ever_raises_digits() {
        JobId job = ledgers.job(2, 0);
        ActivityId activity = ledgers.activity(job, "1", "a");
        LegTwo leg = leg(activity, 0, -1);
        long activityBefore = 0;
        long guidBefore = 0;

        for (int i = 0; i < 5; i++) {
            ledgers.collate(leg);
            long activityNow = Long.parseLong(ledgers.activityDigits(activity));
            long guidNow = ledgers.guid(leg).value();
            assertThat(activityNow).isGreaterThan(activityBefore);
            assertThat(guidNow).isGreaterThan(guidBefore);
            activityBefore = activityNow;
            guidBefore = guidNow;
        }
        assertThat(ledgers.state(job)).isEqualTo("1 open");
    }

    @Test
    void rule_b_no_marker_without_its_step_and_no_step_without_its_marker() {
        JobId job = ledgers.job(2, 0);
        ActivityId activity = ledgers.activity(job, "1", "a");
        LegTwo leg = leg(activity, 0, -1);

        assertThatThrownBy(() -> ledgers.database().transact("dies before its commit", tx -> {
                    ledgers.collation().collate(tx, List.of(leg));
                    throw new IllegalStateException("dead");
                }))
                .hasMessage("dead");

        assertThat(ledgers.state(job)).isEqualTo("2 open");
        assertThat(ledgers.activityDigits(activity)).isEqualTo("001100000000000");

        ledgers.collate(leg);

        assertThat(ledgers.state(job)).isEqualTo("1 open");
        assertThat(ledgers.activityDigits(activity)).isEqualTo("001111000000001");
        assertThat(ledgers.output(activity)).isEqualTo("result 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void rule_c_the_guid_ledger_resumes_a_closing_transition_after_a_death_at_any_boundary(int commits) {
        ActivityId parent = ledgers.activity(ledgers.job(), "1", "$child:flow");
        JobId job = ledgers.childOf(parent);
        LegTwo leg = leg(ActivityId.main(job), 0, -1);

        ledgers.process(leg, commits);
        ledgers.process(leg, ALL);

        assertThat(ledgers.state(job)).isEqualTo("0 completed");
        assertThat(ledgers.isClosedBy(job, leg)).isTrue();
        assertThat(ledgers.guidDigits(leg)).isEqualTo("00011110000000" + (commits == 0 ? 1 : 2) + " #0");
        assertThat(ledgers.postings("$child:flow")).isEqualTo(1);
        assertThat(ledgers.postings(ActivityId.MAIN)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void rule_c_children_are_spawned_once_and_in_the_dimension_of_the_first_entry(int commits) {
        JobId job = ledgers.job();
        ActivityId cycle = ledgers.activity(job, "1", "cycle");
        ledgers.collate(leg(cycle, 0, 0));
        LegTwo leg = leg(cycle, 1, 1);

        ledgers.process(leg, commits, dimension -> children(job, dimension));
        ledgers.collate(leg(cycle, 2, 0));
        Optional<Integer> dimension = ledgers.process(leg, ALL, own -> children(job, own));

        int expected = commits == 0 ? 2 : 1;
        assertThat(dimension).contains(expected);
        assertThat(ledgers.activityDigits(new ActivityId(job, "1." + expected + ".1", "left")))
                .isEqualTo("001100000000000");
        assertThat(ledgers.activityDigits(new ActivityId(job, "1." + expected + ".2", "right")))
                .isEqualTo("001100000000000");
        assertThat(ledgers.state(job)).isEqualTo("2 open");
        assertThat(ledgers.postings("left")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void rule_c_a_result_that_was_not_acknowledged_is_not_acted_on_again(int commits) {
        JobId job = ledgers.job();
        ActivityId worker = new ActivityId(job, "1", "worker");
        ledgers.enter(new LegOne(worker, "worker", 0, Duration.ZERO, "workers"));
        LegTwo result = leg(worker, 0, 1);

        ledgers.process(result, commits, dimension -> children(job, dimension));
        assertThat(ledgers.postings("worker")).isEqualTo(1);
        ledgers.process(leg(worker, 0, 1, "said differently"), ALL, dimension -> children(job, dimension));

        assertThat(ledgers.postings("worker")).isZero();
        assertThat(ledgers.postings("left")).isEqualTo(1);
        assertThat(ledgers.state(job)).isEqualTo("2 open");
        assertThat(ledgers.output(worker)).isEqualTo(commits == 1 ? "said differently" : "result 0");
    }

    @Test
    void rule_d_semaphore_threshold_marker_and_snapshot_are_one_statement() {
        JobId job = ledgers.job();
        LegTwo leg = leg(ActivityId.main(job), 0, -1);

        ledgers.process(leg, 3);

        assertThat(ledgers.state(job)).isEqualTo("0 completed");
        assertThat(ledgers.guidDigits(leg)).isEqualTo("000111000000001 #0");
        assertThat(ledgers.activityDigits(ActivityId.main(job))).isEqualTo("001111000000001");
    }

    @Test
    void rule_e_the_snapshot_is_taken_once_and_by_one_transition() {
        JobId job = ledgers.job();
        ActivityId other = ledgers.activity(job, "1", "other");
        LegTwo closing = leg(ActivityId.main(job), 0, -1);
        LegTwo late = leg(other, 0, -1);

        ledgers.collate(closing);
        ledgers.collate(closing);
        ledgers.collate(late);

        assertThat(ledgers.guidDigits(closing)).isEqualTo("000111100000002 #0");
        assertThat(ledgers.guidDigits(late)).isEqualTo("000011000000001 #0");
        assertThat(ledgers.state(job)).isEqualTo("0 completed");
    }

    @Test
    void rule_f_and_r13_leg_two_entry_one_hundred_million_is_refused_before_it_is_counted() {
        JobId job = ledgers.job(3, 0);
        ActivityId activity = ledgers.activity(job, "1", "a");
        ledgers.setLedger(activity, "001100099999998");
        LegTwo last = leg(activity, 0, -1);
        LegTwo tooMany = leg(activity, 1, -1);

        assertThat(ledgers.collate(last)).containsOnlyKeys(last.guid());
        assertThat(ledgers.collate(leg(ActivityId.main(job), 0, -1), tooMany)).isEmpty();

        assertThat(ledgers.activityDigits(activity)).isEqualTo("001111099999999");
        assertThat(ledgers.guidDigits(last)).isEqualTo("000011000000001 #99999998");
        assertThat(ledgers.state(job)).isEqualTo("2 open");
        assertThat(ledgers.postings("$ceiling")).isEqualTo(1);

        assertThat(ledgers.collate(tooMany)).isEmpty();
        assertThat(ledgers.activityDigits(activity)).isEqualTo("001111099999999");
        assertThat(ledgers.postings("$ceiling")).isEqualTo(1);
    }

    @Test
    void rule_f_and_r13_attempt_one_hundred_million_of_a_transition_is_refused_before_it_is_counted() {
        JobId job = ledgers.job(2, 0);
        ActivityId activity = ledgers.activity(job, "1", "a");
        LegTwo leg = leg(activity, 0, -1);
        ledgers.process(leg, 1);
        ledgers.setLedger(leg, "000000099999998");

        assertThat(ledgers.collate(leg)).containsOnlyKeys(leg.guid());
        assertThat(ledgers.guidDigits(leg)).isEqualTo("000011099999999 #0");

        assertThat(ledgers.collate(leg)).isEmpty();
        assertThat(ledgers.guidDigits(leg)).isEqualTo("000011099999999 #0");
        assertThat(ledgers.state(job)).isEqualTo("1 open");
    }

    @Test
    void r13_one_item_at_its_ceiling_holds_up_no_other() {
        ActivityId full = ledgers.activity(ledgers.job(), "1", "full");
        ledgers.setLedger(full, "001100099999999");
        JobId neighbour = ledgers.job();
        LegTwo fine = leg(ActivityId.main(neighbour), 0, -1);

        assertThat(ledgers.collate(leg(full, 0, 0), fine)).containsOnlyKeys(fine.guid());

        assertThat(ledgers.state(neighbour)).isEqualTo("0 completed");
    }

    @Test
    void rule_g_the_posting_is_gone_when_its_result_is_recorded_also_by_a_replay() {
        JobId job = ledgers.job();
        LegTwo leg = leg(ActivityId.main(job), 0, -1);
        ledgers.process(leg, 4);
        assertThat(ledgers.guid(leg).nextStep()).isEmpty();
        assertThat(ledgers.postings(ActivityId.MAIN)).isEqualTo(1);

        ledgers.collate(leg);

        assertThat(ledgers.postings(ActivityId.MAIN)).isZero();
    }

    @Test
    void r1_markers_are_flags_and_ten_thousand_cycles_carry_into_nothing() {
        JobId job = ledgers.job();
        ActivityId cycle = ledgers.activity(job, "1", "cycle");

        for (int batch = 0; batch < 50; batch++) {
            List<LegTwo> legs = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                legs.add(leg(cycle, batch * 200 + i, 0));
            }
            ledgers.collate(legs);
        }

        assertThat(ledgers.activityDigits(cycle)).isEqualTo("001111000010000");
        assertThat(ledgers.output(cycle)).isEqualTo("result 9999");
        assertThat(ledgers.guidDigits(leg(cycle, 9999, 0))).isEqualTo("000011000000001 #9999");
        List<Integer> wrong = ledgers.database().transact("check", tx -> tx.query("""
                select ordinal from tally.guid where path = '1'
                group by ordinal having count(*) <> 1 or min(ledger) <> 11000000001
                """, row -> row.getInt("ordinal")));
        assertThat(wrong).isEmpty();
        assertThat(ledgers.state(job)).isEqualTo("1 open");
    }

    @Test
    void r1_each_step_is_guarded_by_its_own_digit() {
        JobId job = ledgers.job(3, 0);
        ActivityId activity = ledgers.activity(job, "1", "a");
        LegTwo leg = leg(activity, 0, -1);
        ledgers.process(leg, 1);

        for (Step step : Step.values()) {
            ledgers.collate(leg.only(false, Set.of(step)));
            ledgers.collate(leg(activity, 0, -1, "again").only(false, Set.of(step)));
        }

        assertThat(ledgers.guidDigits(leg)).isEqualTo("000011000000001 #0");
        assertThat(ledgers.activityDigits(activity)).isEqualTo("001111000000001");
        assertThat(ledgers.output(activity)).isEqualTo("result 0");
        assertThat(ledgers.state(job)).isEqualTo("2 open");
    }

    @Test
    void r2_a_replay_leaves_a_gap_and_never_moves_a_dimension() {
        ActivityId cycle = ledgers.activity(ledgers.job(), "1", "cycle");
        LegTwo first = leg(cycle, 0, 0);
        LegTwo second = leg(cycle, 1, 0);
        LegTwo third = leg(cycle, 2, 0);

        ledgers.collate(first);
        ledgers.collate(first, second);
        ledgers.collate(second, first, third);

        assertThat(ledgers.guidDigits(first)).isEqualTo("000011000000003 #0");
        assertThat(ledgers.guidDigits(second)).isEqualTo("000011000000002 #2");
        assertThat(ledgers.guidDigits(third)).isEqualTo("000011000000001 #5");
        assertThat(ledgers.activityDigits(cycle)).isEqualTo("001111000000006");
    }

    @Test
    void r2_a_step_of_an_earlier_entry_in_the_same_batch_takes_no_dimension_from_a_newcomer() {
        ActivityId cycle = ledgers.activity(ledgers.job(), "1", "cycle");
        LegTwo first = leg(cycle, 0, 0);
        ledgers.process(first, 1);

        ledgers.collate(first.only(false, Set.of(Step.WORK)), leg(cycle, 1, 0));
        ledgers.collate(leg(cycle, 2, 0));

        assertThat(ledgers.guidDigits(leg(cycle, 1, 0))).endsWith("#1");
        assertThat(ledgers.guidDigits(leg(cycle, 2, 0))).endsWith("#2");
    }

    @Test
    void r3_killed_after_step_two_closed_the_job_the_sweeper_runs_step_three_once() {
        ActivityId parent = ledgers.activity(ledgers.job(), "1", "$child:flow");
        JobId job = ledgers.childOf(parent);
        LegTwo leg = leg(ActivityId.main(job), 0, -1);
        ledgers.process(leg, 3);
        assertThat(ledgers.postings("$child:flow")).isZero();
        CompletionSweeper sweeper = new CompletionSweeper(ledgers.database(), ledgers.collation());

        assertThat(sweeper.sweep()).isEqualTo(1);
        assertThat(sweeper.sweep()).isZero();

        assertThat(ledgers.guidDigits(leg)).isEqualTo("000111100000001 #0");
        assertThat(ledgers.postings("$child:flow")).isEqualTo(1);
        assertThat(ledgers.postings(ActivityId.MAIN)).isEqualTo(1);
        ledgers.process(leg, ALL);
        assertThat(ledgers.postings("$child:flow")).isEqualTo(1);
    }

    @Test
    void r3_the_sweeper_leaves_a_job_alone_that_somebody_has_locked() {
        JobId job = ledgers.job();
        ledgers.process(leg(ActivityId.main(job), 0, -1), 3);
        CompletionSweeper sweeper = new CompletionSweeper(ledgers.database(), ledgers.collation());

        int swept = ledgers.database().transact("hold", tx -> {
            ledgers.collation().lock(tx, List.of(job), true);
            return sweeper.sweep();
        });

        assertThat(swept).isZero();
        assertThat(sweeper.sweep()).isEqualTo(1);
    }

    @Test
    void r5_a_dispatch_that_comes_again_opens_no_second_obligation_and_posts_nothing_twice() {
        JobId job = ledgers.job();
        ActivityId branch = new ActivityId(job, "1.1", "$branch");
        LegOne dispatch = new LegOne(branch, "branch", 1, Duration.ZERO, "workers");

        ledgers.enter(dispatch);
        ledgers.enter(dispatch);

        assertThat(ledgers.state(job)).isEqualTo("2 open");
        assertThat(ledgers.activityDigits(branch)).isEqualTo("001100000000000");
        assertThat(ledgers.postings("$branch")).isEqualTo(1);
    }

    @Test
    void r7_the_first_transition_that_hits_another_threshold_closes_the_job_and_zeroes_the_rest() {
        JobId job = ledgers.job(4, 2);
        ActivityId activity = ledgers.activity(job, "1", "a");
        LegTwo down = leg(activity, 0, -1);
        LegTwo hit = leg(activity, 1, -1);
        LegTwo passed = leg(activity, 2, -1);
        LegTwo back = leg(activity, 3, 1);

        ledgers.collate(down, hit, passed, back);

        assertThat(ledgers.state(job)).isEqualTo("0 completed");
        assertThat(ledgers.isClosedBy(job, hit)).isTrue();
        assertThat(ledgers.guidDigits(hit)).startsWith("0001111");
        assertThat(List.of(ledgers.guidDigits(passed), ledgers.guidDigits(back)))
                .allMatch(digits -> digits.startsWith("0000110"));
    }

    @Test
    void r7_the_semaphore_never_goes_below_zero() {
        JobId job = ledgers.job(1, 0);
        ActivityId activity = ledgers.activity(job, "1", "a");

        assertThatThrownBy(() -> ledgers.collate(leg(activity, 0, -2))).hasMessageContaining("semaphore");

        assertThat(ledgers.state(job)).isEqualTo("1 open");
        assertThat(ledgers.activityDigits(activity)).isEqualTo("001100000000000");
    }

    @Test
    void r9_a_transition_that_comes_after_the_end_is_recorded_and_moves_nothing() {
        JobId job = ledgers.job(2, 0);
        ActivityId activity = ledgers.activity(job, "1", "a");
        LegTwo end = LegTwo.ending(ActivityId.main(job), 1, JobOutcome.CANCELLED, null, "enough");

        ledgers.collate(end);
        ledgers.collate(leg(activity, 0, -1));

        assertThat(ledgers.state(job)).isEqualTo("0 cancelled");
        assertThat(ledgers.output(activity)).isEqualTo("result 0");
        assertThat(ledgers.guidDigits(end)).startsWith("0001111");
    }

    @Test
    void r14_steps_one_by_one_and_all_at_once_leave_the_same_ledgers() {
        JobId stepwise = ledgers.job();
        JobId atOnce = ledgers.job();

        ledgers.process(leg(ActivityId.main(stepwise), 0, -1), ALL);
        ledgers.collate(leg(ActivityId.main(atOnce), 0, -1));

        assertThat(ledgers.guidDigits(leg(ActivityId.main(stepwise), 0, -1)))
                .isEqualTo(ledgers.guidDigits(leg(ActivityId.main(atOnce), 0, -1)));
        assertThat(ledgers.activityDigits(ActivityId.main(stepwise)))
                .isEqualTo(ledgers.activityDigits(ActivityId.main(atOnce)));
        assertThat(ledgers.state(stepwise)).isEqualTo(ledgers.state(atOnce));
    }

    @Test
    void r15_two_transitions_of_one_job_in_one_batch_both_count() {
        JobId job = ledgers.job(3, 0);
        ActivityId left = ledgers.activity(job, "1.1", "$branch");
        ActivityId right = ledgers.activity(job, "1.2", "$branch");

        ledgers.collate(leg(left, 0, -1), leg(right, 0, -1));

        assertThat(ledgers.state(job)).isEqualTo("1 open");
        assertThat(ledgers.activityDigits(left)).isEqualTo("001111000000001");
        assertThat(ledgers.activityDigits(right)).isEqualTo("001111000000001");
    }

    @Test
    void r15_a_replay_in_a_batch_does_not_count_beside_a_fresh_transition_of_its_job() {
        JobId job = ledgers.job(3, 0);
        ActivityId left = ledgers.activity(job, "1.1", "$branch");
        ActivityId right = ledgers.activity(job, "1.2", "$branch");
        ledgers.collate(leg(left, 0, -1));

        ledgers.collate(leg(left, 0, -1), leg(right, 0, -1));

        assertThat(ledgers.state(job)).isEqualTo("1 open");
    }

    @Test
    void r15_several_transitions_of_one_activity_in_one_batch_each_get_a_dimension() {
        JobId job = ledgers.job(5, 0);
        ActivityId cycle = ledgers.activity(job, "1", "cycle");

        ledgers.collate(leg(cycle, 0, -1), leg(cycle, 1, -1), leg(cycle, 2, -1));

        assertThat(ledgers.activityDigits(cycle)).isEqualTo("001111000000003");
        assertThat(ledgers.output(cycle)).isEqualTo("result 2");
        assertThat(List.of(0, 1, 2))
                .map(n -> ledgers.guidDigits(leg(cycle, n, -1)))
                .containsExactly("000011000000001 #0", "000011000000001 #1", "000011000000001 #2");
        assertThat(ledgers.state(job)).isEqualTo("2 open");
    }

    @Test
    void r15_the_closing_transition_among_many_jobs_of_one_batch_closes_its_own_only() {
        JobId closing = ledgers.job();
        JobId open = ledgers.job(2, 0);
        ledgers.collate(leg(ActivityId.main(open), 0, -1), leg(ActivityId.main(closing), 0, -1));
        assertThat(ledgers.state(closing)).isEqualTo("0 completed");
        assertThat(ledgers.state(open)).isEqualTo("1 open");
    }

    private static List<LegOne> children(JobId job, int dimension) {
        ActivityId left = new ActivityId(job, "1." + dimension + ".1", "left");
        ActivityId right = new ActivityId(job, "1." + dimension + ".2", "right");
        return List.of(new LegOne(left, "worker", 0, Duration.ZERO, "workers"), LegOne.inline(right, "step", 0));
    }
}
