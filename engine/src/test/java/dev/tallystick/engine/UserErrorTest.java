package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.io.IOError;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever user code throws fails only its job, with the reason; the threads that called it continue. */
class UserErrorTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** What is thrown, on the level of {@link Error} and below it. */
    enum Thrown {
        ASSERTION(new AssertionError("planted")),
        LINKAGE(new NoClassDefFoundError("planted")),
        STACK(new StackOverflowError("planted")),
        IO(new IOError(new IOException("planted"))),
        OF_THE_USER(new OwnError("planted")),
        MUTE(new MuteException());

        private final Throwable throwable;

        Thrown(Throwable throwable) {
            this.throwable = throwable;
        }

        /** Throws it, although it is not declared. */
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "DoNotCallSuggester"})
        <R, E extends Throwable> R raise() throws E {
            throw (E) throwable;
        }
    }

    private static final class OwnError extends Error {

        private static final long serialVersionUID = 1L;

        OwnError(String message) {
            super(message);
        }
    }

    /** Cannot say what went wrong. */
    private static final class MuteException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("planted");
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void in_a_body(Thrown thrown) {
        bench.workbench().workflow("doomed", (ctx, input) -> thrown.<String, RuntimeException>raise());

        assertFails(thrown, bench.start());
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void in_a_step(Thrown thrown) {
        bench.workbench()
                .workflow(
                        "doomed",
                        (ctx, input) -> ctx.step(
                                "throw", String.class, Retry.NONE, () -> thrown.<String, RuntimeException>raise()));

        assertFails(thrown, bench.start());
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void in_a_branch(Thrown thrown) {
        bench.workbench()
                .workflow(
                        "doomed",
                        (ctx, input) -> String.valueOf(
                                ctx.all(String.class, List.of(branch -> thrown.<String, RuntimeException>raise()))));

        assertFails(thrown, bench.start());
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void in_work_of_a_graph(Thrown thrown) {
        bench.graph(Graph.named("doomed")
                        .trigger("start")
                        .worker("work", "thrower", "input", Retry.NONE)
                        .from("start", "work")
                        .build())
                .worker("thrower", (work, input) -> thrown.<Object, RuntimeException>raise());

        assertFails(thrown, bench.start());
    }

    private void assertFails(Thrown thrown, Engine engine) {
        Closed closed = bench.run(engine, "doomed", "input");

        assertThat(closed.outcome()).isEqualTo(JobOutcome.FAILED);
        assertThat(closed.error()).contains(thrown.throwable.getClass().getName());
        assertThat(bench.violations()).isEmpty();
    }
}
