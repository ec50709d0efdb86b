package dev.tallystick.engine.submit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.model.ClosedActivity;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of a record a fork begins with. */
class ForkPointTest {

    @Test
    void what_stands_before_the_step_is_kept_and_nothing_else() {
        List<ClosedActivity> record = List.of(done("1"), done("2"), done("3"));

        assertThat(paths(ForkPoint.before(record, "2"))).containsExactly("1");
        assertThat(paths(ForkPoint.before(record, "1"))).isEmpty();
    }

    @Test
    void places_are_compared_as_numbers() {
        List<ClosedActivity> record = List.of(done("2"), done("9"), done("10"), done("11"));

        assertThat(paths(ForkPoint.before(record, "10"))).containsExactly("2", "9");
    }

    @Test
    void beside_a_step_in_a_branch_the_other_branches_are_kept_whole_if_they_succeeded() {
        List<ClosedActivity> record = List.of(
                done("1"),
                done("2.1.1"),
                done("2.1.2"),
                done("2.1"),
                done("2.2.1"),
                done("2.2"),
                failed("2.3.1"),
                failed("2.3"),
                done("3"));

        assertThat(paths(ForkPoint.before(record, "2.1.2"))).containsExactly("1", "2.2", "2.2.1", "2.1.1");
    }

    @Test
    void the_mark_of_a_patch_is_kept_with_the_place_that_it_stands_behind() {
        List<ClosedActivity> record = List.of(done("1"), done("1~new"), done("2"), done("2~newer"));

        assertThat(paths(ForkPoint.before(record, "2"))).containsExactly("1", "1~new");
    }

    @Test
    void a_failed_step_is_done_again_and_one_whose_failure_was_handled_is_not() {
        List<ClosedActivity> record = List.of(done("1"), failed("2"), done("3"), failed("4"));

        assertThat(paths(ForkPoint.beforeFailure(record))).containsExactly("1", "2", "3");
    }

    @Test
    void what_never_ended_is_done_again() {
        assertThat(paths(ForkPoint.beforeFailure(List.of(done("1"), open("2")))))
                .containsExactly("1");
    }

    @Test
    void a_body_that_failed_by_itself_keeps_all_that_it_has_done() {
        List<ClosedActivity> record = List.of(done("1"), done("2.1"), done("2.1.1"), done("2.2"), done("2.2.1"));

        assertThat(paths(ForkPoint.beforeFailure(record))).hasSize(5);
        assertThat(ForkPoint.beforeFailure(List.of())).isEmpty();
    }

    @Test
    void of_branches_those_that_failed_are_done_again_from_where_they_failed() {
        List<ClosedActivity> record = List.of(
                done("1"),
                done("2.1.1"),
                failed("2.1.2"),
                failed("2.1"),
                done("2.2.1"),
                done("2.2"),
                done("2.3.1"),
                open("2.3.2"),
                open("2.3"),
                chosen("2", 0));

        assertThat(paths(ForkPoint.beforeFailure(record)))
                .containsExactlyInAnyOrder("1", "2.2", "2.2.1", "2.1.1", "2.3.1");
    }

    @Test
    void the_branch_that_won_is_kept_with_the_word_that_it_won() {
        List<ClosedActivity> record = List.of(open("1.1.1"), open("1.1"), done("1.2.1"), done("1.2"), chosen("1", 1));

        assertThat(paths(ForkPoint.beforeFailure(record))).containsExactlyInAnyOrder("1.2.1", "1.2", "1");
    }

    @Test
    void what_was_done_to_undo_is_no_part_of_it() {
        assertThat(paths(ForkPoint.beforeFailure(List.of(done("1"), done("undo.1"), failed("2")))))
                .containsExactly("1");
    }

    private static List<String> paths(List<ClosedActivity> kept) {
        return kept.stream().map(ClosedActivity::path).toList();
    }

    private static ClosedActivity done(String path) {
        return new ClosedActivity(path, "step", "step", true, 1, null, null);
    }

    private static ClosedActivity failed(String path) {
        return new ClosedActivity(path, "step", "step", true, 1, null, "no luck");
    }

    private static ClosedActivity open(String path) {
        return new ClosedActivity(path, "step", "step", false, 1, null, null);
    }

    private static ClosedActivity chosen(String path, int branch) {
        byte[] output = ByteBuffer.allocate(Integer.BYTES).putInt(branch).array();
        return new ClosedActivity(path, "$any", "fork", true, 1, output, null);
    }
}
