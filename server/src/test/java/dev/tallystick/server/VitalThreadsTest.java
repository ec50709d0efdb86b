package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.sql.LastingThreads;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that has lost a thread ends, and one whose user's code has failed does not. */
class VitalThreadsTest {

    private static final int SURVIVED = 3;

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perTest());

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

    /** A server embedded in another process, which must learn of it. Arguments: the JDBC URL, the directory. */
    static final class Embedding {

        public static void main(String[] arguments) throws InterruptedException {
            TallyServer server = TallyServer.start(ServerUnderTest.settings(arguments[0], Path.of(arguments[1])));
            Http anybody = new Http(server.address(), "");
            System.out.println("ready " + anybody.get("/health/ready").status());
            Thread thread = Thread.ofVirtual()
                    .name("tally-planted")
                    .start(() -> LastingThreads.last(() -> {
                        throw new AssertionError("planted");
                    }));
            thread.join();
            System.out.println("ready " + anybody.get("/health/ready").status() + " "
                    + anybody.get("/health/ready").text("detail"));
            Runtime.getRuntime().halt(SURVIVED);
        }

        private Embedding() {}
    }

    @Test
    void readiness_turns_red_in_a_process_that_goes_on_without_a_thread_of_ours(@TempDir Path data) {
        try (ChildJvm child = ChildJvm.of(Embedding.class).start(postgres.url(), data.toString())) {
            assertThat(child.awaitExit()).as(String.join("\n", child.lines())).isEqualTo(SURVIVED);
            assertThat(child.lines())
                    .contains("ready 200")
                    .anyMatch(line -> line.startsWith("ready 500 the thread tally-planted has died"));
        }
    }

    @ParameterizedTest
    @CsvSource({"tally-commit, 70", "tally-sequencer, 70", "tally-body-42, 3", "pool-1-thread-1, 3"})
    void a_thread_of_ours_takes_the_process_along(String name, int exit) {
        try (ChildJvm child = ChildJvm.of(Dying.class).start(name)) {
            assertThat(child.awaitExit()).as(String.join("\n", child.lines())).isEqualTo(exit);
            assertThat(child.lines()).anyMatch(line -> line.contains(name));
        }
    }
}
