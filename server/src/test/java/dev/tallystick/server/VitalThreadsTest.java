package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.ChildJvm;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that has lost a thread ends, and one whose user's code has failed does not. */
class VitalThreadsTest {

    private static final int SURVIVED = 3;

    /** Arguments: the name of a thread that dies. */
    static final class Dying {

        public static void main(String[] arguments) throws InterruptedException {
            VitalThreads.watch();
            Thread thread = Thread.ofVirtual().name(arguments[0]).unstarted(() -> {
                throw new AssertionError("planted");
            });
            thread.start();
            thread.join();
            Runtime.getRuntime().halt(SURVIVED);
        }

        private Dying() {}
    }

    @ParameterizedTest
    @CsvSource({"tally-commit-0, 70", "tally-sequencer, 70", "tally-body-42, 3", "pool-1-thread-1, 3"})
    void a_thread_of_ours_takes_the_process_along(String name, int exit) {
        try (ChildJvm child = ChildJvm.of(Dying.class).start(name)) {
            assertThat(child.awaitExit()).as(String.join("\n", child.lines())).isEqualTo(exit);
            assertThat(child.lines()).anyMatch(line -> line.contains(name));
        }
    }
}
