package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.run.RemoteWork;
import dev.tallystick.engine.graph.run.RemoteWork.Brought;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Retry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker that repeats its result after a lost reply gets the answer of the first time, whatever has happened in between. */
class RepeatedResultTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final byte[] HELLO = "\"hello\"".getBytes(StandardCharsets.UTF_8);
    private static final byte[] GOODBYE = "\"goodbye\"".getBytes(StandardCharsets.UTF_8);

    private GraphBench bench;
    private Engine engine;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
        bench.graph(Graph.named("remote")
                .trigger("start")
                .topic("work", "remotely", "1", Retry.DEFAULT.attempts(3).waiting(Duration.ZERO, Duration.ZERO))
                .hook("wait", "never")
                .from("start", "work")
                .from("work", "wait")
                .output("work")
                .build());
        engine = bench.start();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private RemoteWork.Handle claim() {
        return Eventually.value(
                        "there is work",
                        () -> engine.remoteWork().claim("default", "remotely", "worker", 1),
                        claimed -> !claimed.isEmpty())
                .getFirst()
                .handle();
    }

    private RemoteWork.Handle claimOfNewJob() {
        bench.submit(engine, "remote", Map.of());
        return claim();
    }

    private Brought succeed(RemoteWork.Handle handle, byte[] output) {
        return engine.remoteWork().succeed("default", "remotely", "worker", handle, output);
    }

    private Brought fail(RemoteWork.Handle handle, String reason, boolean forGood) {
        return engine.remoteWork().fail("default", "remotely", "worker", handle, reason, null, forGood);
    }

    @Test
    void r6_a_result_that_came_after_the_end_of_its_job_is_answered_so_each_time() {
        RemoteWork.Handle handle = claimOfNewJob();
        engine.cancel("default", handle.job());
        bench.workbench().await(engine, handle.job());

        assertThat(List.of(succeed(handle, HELLO), succeed(handle, HELLO)))
                .containsExactly(Brought.JOB_CLOSED, Brought.JOB_CLOSED);
    }

    @Test
    void r6_a_failed_attempt_after_the_end_of_its_job_is_answered_so_each_time() {
        RemoteWork.Handle handle = claimOfNewJob();
        engine.cancel("default", handle.job());
        bench.workbench().await(engine, handle.job());

        assertThat(List.of(fail(handle, "no money", false), fail(handle, "no money", false)))
                .containsExactly(Brought.JOB_CLOSED, Brought.JOB_CLOSED);
    }

    @Test
    void r6_a_second_and_different_result_is_refused_and_the_first_one_stands() {
        RemoteWork.Handle handle = claimOfNewJob();

        assertThat(succeed(handle, HELLO)).isEqualTo(Brought.RECORDED);
        assertThat(succeed(handle, GOODBYE)).isEqualTo(Brought.ANOTHER_RESULT);
        assertThat(fail(handle, "no money", true)).isEqualTo(Brought.ANOTHER_RESULT);
        assertThat(succeed(handle, HELLO)).isEqualTo(Brought.RECORDED);
    }

    @Test
    void r6_a_result_is_recognised_when_its_job_has_closed_since() {
        RemoteWork.Handle handle = claimOfNewJob();
        assertThat(succeed(handle, HELLO)).isEqualTo(Brought.RECORDED);
        engine.cancel("default", handle.job());
        bench.workbench().await(engine, handle.job());

        assertThat(succeed(handle, HELLO)).isEqualTo(Brought.RECORDED);
        assertThat(succeed(handle, GOODBYE)).isEqualTo(Brought.ANOTHER_RESULT);
    }

    @Test
    void r6_a_failed_attempt_is_recognised_when_its_work_has_been_claimed_and_done_since() {
        RemoteWork.Handle first = claimOfNewJob();
        assertThat(fail(first, "no money", false)).isEqualTo(Brought.RECORDED);
        assertThat(succeed(first, HELLO)).isEqualTo(Brought.ANOTHER_RESULT);
        assertThat(fail(first, "no money", true)).isEqualTo(Brought.ANOTHER_RESULT);

        RemoteWork.Handle second = claim();
        assertThat(fail(first, "no money", false)).isEqualTo(Brought.RECORDED);
        assertThat(fail(second, "still none", false)).isEqualTo(Brought.RECORDED);

        RemoteWork.Handle third = claim();
        assertThat(succeed(third, HELLO)).isEqualTo(Brought.RECORDED);

        assertThat(fail(first, "no money", false)).isEqualTo(Brought.RECORDED);
        assertThat(fail(second, "still none", false)).isEqualTo(Brought.RECORDED);
        assertThat(fail(second, "no money", false)).isEqualTo(Brought.ANOTHER_RESULT);
    }

    @Test
    void r6_the_last_failed_attempt_is_recognised() {
        RemoteWork.Handle handle = claimOfNewJob();
        for (int attempt = 1; attempt < 3; attempt++) {
            assertThat(fail(handle, "no money", false)).isEqualTo(Brought.RECORDED);
            handle = claim();
        }
        assertThat(fail(handle, "no money", false)).isEqualTo(Brought.RECORDED);
        bench.workbench().await(engine, handle.job());

        assertThat(fail(handle, "no money", false)).isEqualTo(Brought.RECORDED);
        assertThat(succeed(handle, HELLO)).isEqualTo(Brought.ANOTHER_RESULT);
    }

    @Test
    void a_worker_that_has_said_nothing_yet_is_not_answered_for_the_one_who_has_its_work_now() {
        RemoteWork.Handle first = claimOfNewJob();
        bench.workbench().database().transact("expire", tx -> tx.update("update tally.posting set visible_at = now()"));
        RemoteWork.Handle second = claim();
        assertThat(succeed(second, HELLO)).isEqualTo(Brought.RECORDED);

        assertThat(succeed(first, HELLO)).isEqualTo(Brought.LEASE_LOST);
    }
}
