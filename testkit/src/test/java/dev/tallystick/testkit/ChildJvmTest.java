package dev.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildJvmTest {

    private enum Step implements CrashPoint {
        ONE,
        TWO
    }

    @Test
    void its_lines_arrive_as_they_are_printed_and_its_exit_code_too() {
        try (ChildJvm child = ChildJvm.of(Greeter.class).start("hello", "wörld")) {
            assertThat(child.awaitLine(line -> line.startsWith("w"))).isEqualTo("wörld");
            assertThat(child.awaitExit()).isEqualTo(3);
            assertThat(child.lines()).containsExactly("hello", "wörld");
        }
    }

    @Test
    void it_halts_at_the_named_arrival_at_the_named_point() {
        try (ChildJvm child = ChildJvm.of(Stepper.class).haltingAt(Step.TWO, 2).start()) {
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
            assertThat(child.lines()).containsExactly("ONE", "TWO", "ONE");
        }
    }

    @Test
    void it_halts_nowhere_unless_told_to() {
        try (ChildJvm child = ChildJvm.of(Stepper.class).start()) {
            assertThat(child.awaitExit()).isZero();
            assertThat(child.lines()).hasSize(6);
        }
    }

    @Test
    void its_last_output_arrives() {
        try (ChildJvm child = ChildJvm.of(Stepper.class).haltingAt(Step.TWO).start("that was it")) {
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
            assertThat(child.lines()).containsExactly("ONE", "that was it");
        }
    }

    @Test
    void after_a_rehearsal_it_loads_its_classes_from_an_archive(@TempDir Path directory) {
        ChildJvm.Plan rehearsed = ChildJvm.of(Stepper.class).rehearsed(directory);
        try (ChildJvm child =
                rehearsed.with("-Xlog:class+load").haltingAt(Step.TWO).start()) {
            assertThat(child.awaitLine(line -> line.contains(Stepper.class.getName())))
                    .contains("shared objects file");
            assertThat(child.awaitExit()).isEqualTo(HaltAt.EXIT_CODE);
        }
    }

    @Test
    void a_rehearsal_that_fails_says_what_happened(@TempDir Path directory) {
        assertThatThrownBy(() -> ChildJvm.of(Greeter.class).rehearsed(directory, "hello"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("hello");
    }

    @Test
    void killed_means_killed() {
        try (ChildJvm child = ChildJvm.of(Ticker.class).start()) {
            child.awaitLine("tick 3"::equals);
            child.kill();
            assertThat(child.isAlive()).isFalse();
            assertThat(child.awaitExit()).isEqualTo(128 + 9);
            assertThat(child.lines()).startsWith("tick 1", "tick 2", "tick 3");
        }
    }

    @Test
    void a_paused_child_stands_still_until_it_is_resumed() throws IOException {
        try (ChildJvm child = ChildJvm.of(Ticker.class).start()) {
            child.awaitLine("tick 1"::equals);
            child.pause();
            assertThat(threadStates(child)).isNotEmpty().containsOnly("T");
            child.resume();
            int before = child.lines().size();
            child.awaitLine(("tick " + (before + 100))::equals);
        }
    }

    @Test
    void a_child_that_ends_without_the_line_fails_the_wait_with_its_last_output() {
        try (ChildJvm child = ChildJvm.of(Thrower.class).start()) {
            assertThatThrownBy(() -> child.awaitLine("ready"::equals))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("ended without a line that matches")
                    .hasMessageContaining("IllegalStateException: no words");
            assertThat(child.awaitExit()).isEqualTo(1);
        }
    }

    @Test
    void a_child_whose_parent_dies_ends_by_itself() {
        try (ChildJvm parent = ChildJvm.of(ParentOfTicker.class).start()) {
            long orphan = Long.parseLong(parent.awaitLine(line -> line.matches("\\d+")));
            parent.kill();
            Eventually.holds(
                    "the orphan to end",
                    () -> ProcessHandle.of(orphan)
                            .filter(ProcessHandle::isAlive)
                            .isEmpty());
        }
    }

    private static List<String> threadStates(ChildJvm child) throws IOException {
        List<String> states = new ArrayList<>();
        try (var threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(child.pid()), "task"))) {
            for (Path thread : threads) {
                states.add(Files.readString(thread.resolve("stat")).replaceAll("(?s).*\\) (\\S) .*", "$1"));
            }
        }
        return states;
    }

    static final class Greeter {
        public static void main(String[] words) {
            for (String word : words) {
                System.out.println(word);
            }
            System.exit(3);
        }
    }

    static final class Stepper {
        public static void main(String[] lastWords) {
            CrashPoints points = HaltAt.configured(() -> List.of(lastWords).forEach(System.out::println));
            for (int round = 0; round < 3; round++) {
                for (Step step : Step.values()) {
                    points.reached(step);
                    System.out.println(step);
                }
            }
        }
    }

    static final class Ticker {
        public static void main(String[] none) {
            for (int tick = 1; true; tick++) {
                System.out.println("tick " + tick);
                LockSupport.parkNanos(100_000);
            }
        }
    }

    static final class Thrower {
        public static void main(String[] words) {
            if (words.length == 0) {
                throw new IllegalStateException("no words");
            }
        }
    }

    static final class ParentOfTicker {
        public static void main(String[] none) throws InterruptedException {
            try (ChildJvm child = ChildJvm.of(Ticker.class).start()) {
                child.awaitLine("tick 1"::equals);
                System.out.println(child.pid());
                Thread.currentThread().join();
            }
        }
    }
}
