package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.History.FailedYetPresent;
import dev.tallystick.testkit.History.Lost;
import dev.tallystick.testkit.History.NeverAskedFor;
import dev.tallystick.testkit.History.Repeated;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private final History<String> history = new History<>();

    @Test
    void a_correct_store_passes() {
        acknowledged("kept");
        failed("refused");
        unknown("perhaps, and there");
        unknown("perhaps, and not there");
        history.invoked("cut short, and there");
        history.invoked("cut short, and not there");
        assertThatCode(() -> history.assertAgreesWith(List.of("cut short, and there", "perhaps, and there", "kept")))
                .doesNotThrowAnyException();
    }

    @Test
    void acknowledged_keys_must_be_present() {
        acknowledged("a");
        acknowledged("b");
        assertThat(history.violations(List.of("b"))).containsExactly(new Lost<>("a"));
    }

    @Test
    void no_key_may_be_present_twice_however_it_ended() {
        acknowledged("a");
        unknown("b");
        assertThat(history.violations(List.of("a", "b", "a", "b", "b")))
                .containsExactly(new Repeated<>("a", 2), new Repeated<>("b", 3));
    }

    @Test
    void a_definite_failure_must_be_absent() {
        failed("a");
        assertThat(history.violations(List.of("a"))).containsExactly(new FailedYetPresent<>("a"));
    }

    @Test
    void keys_that_were_never_requested_must_be_absent() {
        assertThat(history.violations(List.of("ghost"))).containsExactly(new NeverAskedFor<>("ghost"));
    }

    @Test
    void a_key_repeated_after_an_unknown_outcome_is_judged_by_all_its_invocations() {
        unknown("acknowledged in the end");
        acknowledged("acknowledged in the end");
        unknown("refused in the end, but the first may have worked");
        failed("refused in the end, but the first may have worked");
        assertThat(history.violations(List.of("refused in the end, but the first may have worked")))
                .containsExactly(new Lost<>("acknowledged in the end"));
    }

    @Test
    void an_outcome_needs_an_open_invocation() {
        assertThatThrownBy(() -> history.acknowledged("a")).isInstanceOf(IllegalStateException.class);
        failed("a");
        assertThatThrownBy(() -> history.acknowledged("a")).hasMessageContaining("a, which has no open invocation");
    }

    @Test
    void the_report_names_every_offending_key() {
        acknowledged("lost");
        failed("undead");
        acknowledged("double");
        assertThatThrownBy(() -> history.assertAgreesWith(List.of("undead", "double", "double", "ghost")))
                .isInstanceOf(AssertionError.class)
                .hasMessage("""
                    the store broke its word (3 keys, 3 invoked, 2 acknowledged, 1 failed, 0 unknown, 0 open):
                      acknowledged but lost: lost
                      reported as failed but present: undead
                      present 2 times: double
                      present but never requested: ghost\
                    """);
    }

    @Test
    void it_can_be_read_from_the_output_of_another_process() {
        History<String> printed = History.ofLines(List.of(
                "ready",
                "invoked a key with spaces",
                "invoked b",
                "a line about something else",
                "acknowledged a key with spaces",
                "unknown b",
                "invoked c",
                "failed c"));
        assertThat(printed.violations(List.of("c")))
                .containsExactly(new Lost<>("a key with spaces"), new FailedYetPresent<>("c"));
        assertThat(printed.summary()).isEqualTo("3 keys, 3 invoked, 1 acknowledged, 1 failed, 1 unknown, 0 open");
    }

    @Test
    void many_threads_may_record_at_once() {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 1_000).forEach(i -> threads.execute(() -> acknowledged("key " + i)));
        }
        assertThat(history.acknowledgedKeys()).isEqualTo(1_000);
        assertThat(history.violations(List.of())).hasSize(1_000);
    }

    private void acknowledged(String key) {
        history.invoked(key);
        history.acknowledged(key);
    }

    private void failed(String key) {
        history.invoked(key);
        history.failed(key);
    }

    private void unknown(String key) {
        history.invoked(key);
        history.unknown(key);
    }
}
