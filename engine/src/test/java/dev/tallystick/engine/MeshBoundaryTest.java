package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.engine.graph.run.RemoteWork;
import dev.tallystick.engine.submit.Reruns;
import dev.tallystick.engine.view.JobEvents;
import dev.tallystick.engine.view.JobQuery;
import dev.tallystick.engine.view.JobReader;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Also;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.UnknownJobException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R24: nothing that is done in the name of one mesh reads, moves or ends a job of another, even with its id. */
class MeshBoundaryTest {

    private static final String OURS = "ours";
    private static final String THEIRS = "theirs";

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final JsonCodec codec = new JsonCodec();
    private GraphBench bench;
    private Engine engine;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
        bench.graph(Graph.named("tell")
                        .trigger("start")
                        .signal("tell", "input.to", "news", "'hello'")
                        .from("start", "tell")
                        .output("tell.delivered")
                        .build())
                .graph(Graph.named("listen")
                        .trigger("start")
                        .hook("hook", "news", Duration.ofHours(1), 1)
                        .from("start", "hook")
                        .output("hook.signal")
                        .build())
                .graph(Graph.named("work")
                        .trigger("start")
                        .topic("work", "parcels", "1", Retry.NONE)
                        .from("start", "work")
                        .output("work")
                        .build())
                .graph(Graph.named("ask")
                        .trigger("start")
                        .task("approve", NodeAsk.group("finance"))
                        .from("start", "approve")
                        .output("approve")
                        .build())
                .graph(Graph.named("fail")
                        .trigger("start")
                        .worker("fail", "fail", "1", Retry.NONE)
                        .from("start", "fail")
                        .output("fail")
                        .build())
                .worker("fail", (work, input) -> {
                    throw new IllegalStateException("out of order");
                });
        engine = bench.start();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private JobId submit(String mesh, String workflow, Object input) {
        Submission job =
                new Submission(mesh, workflow, codec.encode(input), null, null, Priority.DEFAULT, Duration.ZERO);
        return ((Accepted.Fresh) engine.submit(job).join()).job();
    }

    @Test
    void the_signal_node_of_a_graph_reaches_no_job_of_another_mesh() {
        JobId listening = submit(THEIRS, "listen", "input");

        JobId stranger = submit(OURS, "tell", Map.of("to", listening.toString()));
        assertThat(bench.result(bench.workbench().await(engine, stranger))).isEqualTo(false);
        assertThat(bench.workbench().count("signal")).isZero();

        JobId friend = submit(THEIRS, "tell", Map.of("to", listening.toString()));
        assertThat(bench.result(bench.workbench().await(engine, friend))).isEqualTo(true);
        assertThat(bench.result(bench.workbench().await(engine, listening))).isEqualTo("hello");
    }

    @Test
    void no_operation_reads_or_changes_a_job_of_another_mesh() {
        JobId open = submit(THEIRS, "listen", "input");
        JobId failed = submit(THEIRS, "fail", "input");
        bench.workbench().await(engine, failed);
        submit(THEIRS, "work", "input");
        RemoteWork.Handle work = Eventually.value(
                        "work is claimed",
                        () -> engine.remoteWork().claim(THEIRS, "parcels", "worker", 1),
                        claimed -> !claimed.isEmpty())
                .getFirst()
                .handle();
        submit(THEIRS, "ask", "input");
        TaskId task = Eventually.value(
                        "a task is asked",
                        () -> engine.tasks().ofGroup(THEIRS, "finance", null, 10),
                        tasks -> !tasks.isEmpty())
                .getFirst()
                .id();
        JobReader reader = new JobReader(bench.workbench().database(), new JsonCodec());
        JobEvents events = new JobEvents(bench.workbench().database());
        events.read(THEIRS, open, JobEvents.BEGINNING, 100);
        List<String> before = everything();

        SoftAssertions all = new SoftAssertions();
        all.assertThat(engine.signal(OURS, open, "news", "k", codec.encode("x")).join())
                .isEqualTo(new Signalled.NoSuchJob());
        engine.cancel(OURS, open);
        all.assertThat(reader.job(OURS, open)).isEmpty();
        all.assertThat(reader.activities(OURS, open, null, 100)).isEmpty();
        all.assertThat(reader.lastError(THEIRS, failed)).isPresent();
        all.assertThat(reader.lastError(OURS, failed)).isEmpty();
        all.assertThat(events.read(OURS, open, JobEvents.BEGINNING, 100)).isEmpty();
        all.assertThat(engine.list(JobQuery.of(OURS))).isEmpty();

        ScopedKey key = new ScopedKey(new Scope(OURS, "member"), new IdempotencyKey("k"));
        Reruns reruns = engine.reruns();
        unknown(all, () -> engine.why(OURS, open));
        unknown(all, () -> reruns.rerun(OURS, failed));
        unknown(all, () -> reruns.rerun(failed, key, Also.NOTHING));
        unknown(all, () -> reruns.fork(OURS, failed, "fail"));
        unknown(all, () -> reruns.fork(failed, "fail", key, Also.NOTHING));
        unknown(all, () -> reruns.redrive(OURS, failed));
        reruns.discard(OURS, failed, Also.NOTHING);
        all.assertThat(reruns.deadLetter(OURS, failed)).isEmpty();
        all.assertThat(reruns.deadLetters(OURS, null, 10)).isEmpty();

        TaskDesk desk = engine.tasks();
        TaskOutcome none = new TaskOutcome.NoSuchTask();
        all.assertThat(desk.find(OURS, task)).isEmpty();
        all.assertThat(desk.all(OURS, null, 10)).isEmpty();
        all.assertThat(desk.ofGroup(OURS, "finance", null, 10)).isEmpty();
        all.assertThat(desk.claim(OURS, task, Person.named("ada"))).isEqualTo(none);
        all.assertThat(desk.release(OURS, task, Person.named("ada"))).isEqualTo(none);
        all.assertThat(desk.escalate(OURS, task, "chiefs")).isEqualTo(none);
        all.assertThat(desk.resolve(OURS, task, Person.named("ada"), codec.encode("yes"), "k"))
                .isEqualTo(none);

        RemoteWork remote = engine.remoteWork();
        all.assertThat(remote.claim(OURS, "parcels", "worker", 1)).isEmpty();
        all.assertThat(remote.keep(OURS, "parcels", "worker", List.of(work))).isEmpty();
        all.assertThat(remote.succeed(OURS, "parcels", "worker", work, codec.encode("done")))
                .isEqualTo(RemoteWork.Brought.UNKNOWN);
        all.assertThat(remote.fail(OURS, "parcels", "worker", work, "no", null, true))
                .isEqualTo(RemoteWork.Brought.UNKNOWN);

        all.assertThat(everything()).isEqualTo(before);
        all.assertAll();
    }

    @Test
    void work_is_kept_and_brought_by_the_worker_that_has_claimed_it_alone() {
        JobId job = submit(OURS, "work", "input");
        RemoteWork remote = engine.remoteWork();
        RemoteWork.Handle work = Eventually.value(
                        "work is claimed", () -> remote.claim(OURS, "parcels", "ada", 1), claimed -> !claimed.isEmpty())
                .getFirst()
                .handle();

        assertThat(remote.keep(OURS, "parcels", "bob", List.of(work))).isEmpty();
        assertThat(remote.fail(OURS, "parcels", "bob", work, "no", null, true))
                .isEqualTo(RemoteWork.Brought.LEASE_LOST);
        assertThat(remote.succeed(OURS, "parcels", "bob", work, codec.encode("forged")))
                .isEqualTo(RemoteWork.Brought.LEASE_LOST);

        assertThat(remote.keep(OURS, "parcels", "ada", List.of(work))).containsExactly(work.work());
        assertThat(remote.succeed(OURS, "parcels", "ada", work, codec.encode("done")))
                .isEqualTo(RemoteWork.Brought.RECORDED);
        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo("done");
    }

    private static void unknown(SoftAssertions all, ThrowableAssert.ThrowingCallable operation) {
        all.assertThatThrownBy(operation).isInstanceOf(UnknownJobException.class);
    }

    /** Every row that an operation on a job may change. */
    private List<String> everything() {
        return bench.workbench()
                .database()
                .transact("read everything", tx -> tx.query("""
                select 'job ' || j::text as line from tally.job j
                union all select 'activity ' || a::text from tally.activity a
                union all select 'guid ' || g::text from tally.guid g
                union all select 'posting ' || p::text from tally.posting p
                union all select 'signal ' || s::text from tally.signal s
                union all select 'task ' || t::text from tally.task t
                union all select 'letter ' || d::text from tally.dead_letter d
                union all select 'key ' || k::text from tally.key k
                union all select 'event ' || e::text from tally.job_event e
                order by line
                """, row -> row.getString("line")));
    }
}
