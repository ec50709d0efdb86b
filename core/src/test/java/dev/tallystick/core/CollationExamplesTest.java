package dev.tallystick.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.Entry.CeilingReached;
import dev.tallystick.core.Entry.Entered;
import dev.tallystick.core.Mark.AlreadyMarked;
import dev.tallystick.core.Mark.Marked;
import org.junit.jupiter.api.Test;

/** The worked examples of the collation strategy, number by number. */
class CollationExamplesTest {

    private static final ActivityLedger AFTER_LEG_ONE = ActivityLedger.parse("001100000000000");

    @Test
    void leg_one_is_entered_and_completes() {
        ActivityLedger start = ActivityLedger.ZERO;
        assertThat(start.digits()).isEqualTo("000000000000000");

        ActivityLedger entered = entered(start.enterLegOne());
        assertThat(entered.digits()).isEqualTo("001000000000000");
        assertThat(entered.legOneComplete()).as("Leg 1 work must run").isFalse();

        ActivityLedger complete = marked(entered.markLegOneComplete());
        assertThat(complete.digits()).isEqualTo("001100000000000");
    }

    @Test
    void a_replayed_leg_one_message_is_counted_and_recognised_as_stale() {
        ActivityLedger replayed = entered(AFTER_LEG_ONE.enterLegOne());

        assertThat(replayed.digits()).isEqualTo("002100000000000");
        assertThat(replayed.legOneComplete()).as("acknowledge at once").isTrue();
        assertThat(replayed.markLegOneComplete()).isEqualTo(new AlreadyMarked<>(replayed));
    }

    @Test
    void leg_two_is_entered_and_its_first_step_completes() {
        ActivityLedger activity = entered(AFTER_LEG_ONE.enterLegTwo());
        GuidLedger guid = entered(GuidLedger.ZERO.enter());
        assertThat(activity.digits()).isEqualTo("001100000000001");
        assertThat(guid.digits()).isEqualTo("000000000000001");
        assertThat(guid.nextStep()).contains(Step.WORK);

        assertThat(marked(activity.markWorkDone()).digits()).isEqualTo("001110000000001");
        assertThat(marked(guid.markWorkDone()).digits()).isEqualTo("000010000000001");
    }

    @Test
    void after_a_crash_between_steps_the_same_guid_resumes_at_step_two() {
        ActivityLedger activity =
                entered(ActivityLedger.parse("001110000000001").enterLegTwo());
        GuidLedger guid = entered(GuidLedger.parse("000010000000001").enter());
        assertThat(activity.digits()).isEqualTo("001110000000002");
        assertThat(guid.digits()).isEqualTo("000010000000002");

        assertThat(guid.nextStep()).as("step 1 is skipped").contains(Step.CHILDREN);
        assertThat(guid.markWorkDone()).isEqualTo(new AlreadyMarked<>(guid));

        GuidLedger spawned = marked(guid.markChildrenSpawned(false));
        assertThat(spawned.digits()).isEqualTo("000011000000002");
        assertThat(marked(activity.markChildrenSpawned()).digits()).isEqualTo("001111000000002");
        assertThat(spawned.nextStep()).as("step 3 is not due").isEmpty();
    }

    @Test
    void two_children_raise_the_semaphore_by_one_and_leave_the_job_open() {
        long delta = JobSemaphore.delta(2, true);
        JobSemaphore after = new JobSemaphore(5).plus(delta);
        assertThat(delta).isEqualTo(1);
        assertThat(after).isEqualTo(new JobSemaphore(6));

        GuidLedger guid = marked(GuidLedger.parse("000010000000001").markChildrenSpawned(after.isAt(0)));
        assertThat(guid.childrenSpawned()).isTrue();
        assertThat(guid.jobClosed()).isFalse();
        assertThat(guid.digits()).isEqualTo("000011000000001");
        assertThat(marked(ActivityLedger.parse("001110000000001").markChildrenSpawned())
                        .digits())
                .isEqualTo("001111000000001");
    }

    @Test
    void no_children_close_the_job_and_the_guid_proves_who_closed_it() {
        long delta = JobSemaphore.delta(0, true);
        JobSemaphore after = new JobSemaphore(1).plus(delta);
        assertThat(delta).isEqualTo(-1);
        assertThat(after).isEqualTo(new JobSemaphore(0));

        GuidLedger guid = marked(GuidLedger.parse("000010000000001").markChildrenSpawned(after.isAt(0)));
        assertThat(guid.jobClosed()).isTrue();
        assertThat(guid.digits()).isEqualTo("000111000000001");
        assertThat(guid.nextStep()).as("a crash here must not lose step 3").contains(Step.COMPLETION_TASKS);
    }

    @Test
    void a_replay_after_the_crash_runs_the_completion_tasks_once() {
        GuidLedger replayed = entered(GuidLedger.parse("000111000000001").enter());
        assertThat(replayed.nextStep()).contains(Step.COMPLETION_TASKS);

        GuidLedger done = marked(replayed.markCompletionTasksDone());
        assertThat(done.digits()).isEqualTo("000111100000002");
        assertThat(done.nextStep()).isEmpty();
        assertThat(done.markCompletionTasksDone()).isEqualTo(new AlreadyMarked<>(done));
    }

    private static <L> L entered(Entry<L> entry) {
        return switch (entry) {
            case Entered<L>(L ledger) -> ledger;
            case CeilingReached<L>(L ledger, Digit counter) ->
                throw new AssertionError(counter + " is full: " + ledger);
        };
    }

    private static <L> L marked(Mark<L> mark) {
        return switch (mark) {
            case Marked<L>(L ledger) -> ledger;
            case AlreadyMarked<L>(L ledger) -> throw new AssertionError("already marked: " + ledger);
        };
    }
}
