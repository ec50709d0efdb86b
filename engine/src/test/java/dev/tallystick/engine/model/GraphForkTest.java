package dev.tallystick.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.ForkedGraphs;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.GraphBuilder;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.engine.graph.run.HookTasks;
import dev.tallystick.engine.submit.Reruns;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.ForkRefusedException;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.Work;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R12 and R13 for graphs: a closed job is done again from a node on, or from where it failed. */
class GraphForkTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final AtomicBoolean broken = new AtomicBoolean();
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
        bench.worker(ForkedGraphs.WORKER, (work, input) -> {
            done.add(at(work) + " " + work.key());
            if (broken.get() && work.node().equals("fragile")) {
                throw new IllegalStateException("no money");
            }
            return work.node() + "(" + input + ")";
        });
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static String at(Work work) {
        return work.dimension().isEmpty() ? work.node() : work.node() + "@" + work.dimension();
    }

    /** What was done, without the keys, and forgets it. */
    private List<String> places() {
        List<String> places = done.stream()
                .map(each -> each.substring(0, each.indexOf(' ')))
                .sorted()
                .toList();
        done.clear();
        return places;
    }

    @Test
    void a_failed_job_is_redriven_from_where_it_failed_under_the_same_keys() {
        bench.graph(ForkedGraphs.line());
        Engine engine = bench.start();
        broken.set(true);
        JobId job = bench.submit(engine, "line", 1);
        assertThat(bench.workbench().await(engine, job).error()).contains("no money");
        String failed = done.getLast();
        broken.set(false);

        JobId redriven = engine.reruns().redrive("default", job);

        assertThat(bench.result(bench.workbench().await(engine, redriven))).isEqualTo("after(fragile(before(1)))");
        assertThat(done).element(2).isEqualTo(failed);
        assertThat(done)
                .last()
                .asString()
                .isEqualTo(
                        "after " + Guid.of(new ActivityId(job, "", "after"), 0).value());
        assertThat(places()).containsExactly("after", "before", "fragile", "fragile");
        assertThat(engine.reruns().redrive("default", job)).isEqualTo(redriven);
        assertThat(bench.ledgers(redriven))
                .containsEntry("|start", "001111000000001")
                .containsEntry("|before", "001111000000001")
                .containsEntry("|fragile", "001111000000001")
                .containsEntry("|after", "001111100000001");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_fork_of_a_fork_keeps_the_first_keys() {
        bench.graph(ForkedGraphs.line());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "line", 1);
        bench.workbench().await(engine, job);
        String after = done.getLast();

        JobId fork = engine.reruns().fork("default", job, "fragile");
        bench.workbench().await(engine, fork);
        JobId forkOfFork = engine.reruns().fork("default", fork, "after");

        assertThat(bench.result(bench.workbench().await(engine, forkOfFork))).isEqualTo("after(fragile(before(1)))");
        assertThat(done).hasSize(6).element(5).isEqualTo(after);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_branch_that_is_done_is_kept_and_its_join_waits_for_the_other_one() {
        bench.graph(ForkedGraphs.fork());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "fork", 1);
        Object first = bench.result(bench.workbench().await(engine, job));
        places();

        JobId fork = engine.reruns().fork("default", job, "fragile");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        assertThat(places()).containsExactly("fragile", "joined");
        assertThat(bench.workbench().count("activity where name = 'joined' and arrived = 7 and skipped = 4"))
                .isEqualTo(2);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_fork_at_a_join_or_behind_it_keeps_all_branches_and_one_at_the_trigger_keeps_nothing() {
        bench.graph(ForkedGraphs.fork());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "fork", 1);
        Object first = bench.result(bench.workbench().await(engine, job));
        places();

        assertThat(bench.result(bench.workbench().await(engine, engine.reruns().fork("default", job, "joined"))))
                .isEqualTo(first);
        assertThat(places()).containsExactly("joined");
        assertThat(bench.result(bench.workbench().await(engine, engine.reruns().fork("default", job, "start"))))
                .isEqualTo(first);
        assertThat(places()).containsExactly("fragile", "joined", "left");
        assertThat(bench.violations()).isEmpty();
    }

    /** A job that failed in one branch while another one waited for its signal. */
    private JobId failedBeforeItsGate(Engine engine) {
        broken.set(true);
        JobId job = bench.submit(engine, "gated", 1);
        bench.workbench().await(engine, job);
        broken.set(false);
        return job;
    }

    @Test
    void what_had_not_come_to_its_end_is_begun_anew() {
        bench.graph(ForkedGraphs.gated());
        Engine engine = bench.start();
        JobId job = failedBeforeItsGate(engine);
        places();

        JobId redriven = engine.reruns().redrive("default", job);
        bench.signal(engine, redriven, "go", "k", "now ");

        assertThat(bench.result(bench.workbench().await(engine, redriven))).isEqualTo("joined(now fragile(left(l)))");
        assertThat(places()).containsExactly("fragile", "joined");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_redriven_job_gets_the_signal_whose_wait_lost_the_race_with_the_end_of_the_job() {
        bench.graph(ForkedGraphs.gated());
        Engine engine = bench.start();
        JobId job = failedBeforeItsGate(engine);
        // The signal was given to the wait; the job closed before the result was recorded.
        bench.workbench()
                .database()
                .transact(
                        "give",
                        tx -> tx.update(
                                """
                        insert into tally.signal (job_id, name, sender_key, payload, taken_by)
                        values (?, 'go', 'k', convert_to('"now "', 'UTF8'), ?)
                        """,
                                job.value(),
                                Guid.of(new ActivityId(job, "", "gate"), 0).value()));

        JobId redriven = engine.reruns().redrive("default", job);

        assertThat(bench.result(bench.workbench().await(engine, redriven))).isEqualTo("joined(now fragile(left(l)))");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void rounds_before_the_fork_point_and_beside_it_are_kept_also_where_cycles_lie_in_each_other() {
        bench.graph(ForkedGraphs.nested());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "nested", 1);
        Object first = bench.result(bench.workbench().await(engine, job));
        assertThat(places()).hasSize(13);

        JobId fork = engine.reruns().fork("default", job, "step@outer:1/inner:1");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        assertThat(places())
                .containsExactly(
                        "beside@outer:2/inner:0",
                        "beside@outer:2/inner:1",
                        "last@outer:2/inner:1",
                        "step@outer:1/inner:1",
                        "step@outer:2/inner:0",
                        "step@outer:2/inner:1");
        JobId beside = engine.reruns().fork("default", job, "beside@outer:0/inner:1");
        assertThat(bench.result(bench.workbench().await(engine, beside))).isEqualTo(first);
        assertThat(places()).containsExactly("beside@outer:0/inner:1");
        assertThat(bench.ledgers(fork)).containsExactlyEntriesOf(bench.ledgers(job));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void what_was_signalled_and_answered_is_kept_also_by_a_fork_of_a_fork() {
        GraphBuilder graph = Graph.named("told")
                .trigger("start")
                .hook("votes", "vote", null, 2)
                .task("approve", NodeAsk.group("finance"))
                .timer("pause", Duration.ofMillis(1));
        ForkedGraphs.worker(graph, "count", "votes.signal");
        ForkedGraphs.worker(graph, "after", "approve.answer & pause.timed_out");
        bench.graph(graph.from("start", "votes", "approve")
                .from("votes", "count")
                .from("approve", "pause")
                .from("pause", "after")
                .output("[after, count]")
                .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "told", 1);
        bench.signal(engine, job, "vote", "a", "yes");
        bench.signal(engine, job, "vote", "b", "no");
        TaskId task = HookTasks.idOf(Guid.of(new ActivityId(job, "", "approve"), 0));
        engine.tasks().resolve("default", task, Person.named("ada"), new JsonCodec().encode("good"), "k");
        Object first = bench.result(bench.workbench().await(engine, job));
        places();

        JobId fork = engine.reruns().fork("default", job, "after");
        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        JobId again = engine.reruns().fork("default", fork, "count@votes:1");

        assertThat(bench.result(bench.workbench().await(engine, again))).isEqualTo(first);
        assertThat(places()).containsExactly("after", "count@votes:1");
        assertThat(bench.workbench().count("task")).isEqualTo(1);
        assertThat(bench.signal(engine, again, "vote", "a", "yes")).isEqualTo(new Signalled.Kept(true));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_child_that_is_done_is_kept_and_one_that_is_forked_at_is_begun_anew() {
        GraphBuilder child = Graph.named("child").trigger("start");
        GraphBuilder parent = Graph.named("parent").trigger("start").await("run", "child", "input");
        bench.graph(ForkedGraphs.worker(child, "work", "input")
                .from("start", "work")
                .output("work")
                .build());
        bench.graph(ForkedGraphs.worker(parent, "after", "run")
                .from("start", "run")
                .from("run", "after")
                .output("after")
                .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "parent", 1);
        bench.workbench().await(engine, job);

        bench.workbench().await(engine, engine.reruns().fork("default", job, "after"));
        assertThat(bench.workbench().count("job where workflow = 'child'")).isEqualTo(1);
        JobId fork = engine.reruns().fork("default", job, "run");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo("after(work(1))");
        assertThat(bench.workbench().count("job where workflow = 'child'")).isEqualTo(2);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_failure_that_was_handled_is_kept() {
        GraphBuilder graph = Graph.named("handled").trigger("start");
        ForkedGraphs.worker(graph, "fragile", "input");
        ForkedGraphs.worker(graph, "sorry", "fragile.error");
        ForkedGraphs.worker(graph, "after", "sorry");
        bench.graph(graph.from("start", "fragile")
                .onFailure("fragile", "sorry")
                .from("sorry", "after")
                .output("after")
                .build());
        Engine engine = bench.start();
        broken.set(true);
        JobId job = bench.submit(engine, "handled", 1);
        Object first = bench.result(bench.workbench().await(engine, job));
        broken.set(false);
        places();

        JobId fork = engine.reruns().fork("default", job, "after");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        assertThat(places()).containsExactly("after");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_job_that_ran_out_of_time_goes_on_with_what_it_waited_for() {
        GraphBuilder graph = Graph.named("late").trigger("start").hook("gate", "go");
        bench.graph(ForkedGraphs.worker(graph, "before", "input")
                .from("start", "before")
                .from("before", "gate")
                .output("before & gate.signal")
                .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "late", 1);
        bench.signal(engine, job, "other", "k", "!");
        bench.workbench()
                .database()
                .transact(
                        "end",
                        tx -> tx.update(
                                """
                        insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
                        values (?, ?, 'default', '$engine', 0, now(), '', '$timeout')
                        """,
                                job.value(),
                                Guid.of(Ending.TIMEOUT.of(job), 0).value()));
        assertThat(bench.workbench().await(engine, job).outcome()).isEqualTo(JobOutcome.TIMED_OUT);

        JobId redriven = engine.reruns().redrive("default", job);
        bench.signal(engine, redriven, "go", "k", "!");

        assertThat(bench.result(bench.workbench().await(engine, redriven))).isEqualTo("before(1)!");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void what_cannot_be_forked_is_refused_with_what_to_do() {
        bench.graph(ForkedGraphs.nested())
                .graph(ForkedGraphs.fork())
                .graph(ForkedGraphs.ending("refusing", JobOutcome.FAILED, "'out of stock'"))
                .graph(ForkedGraphs.ending("stopping", JobOutcome.COMPLETED, "'enough'"));
        Engine engine = bench.start();
        JobId nested = bench.submit(engine, "nested", 1);
        JobId fork = bench.submit(engine, "fork", 1);
        JobId refused = bench.submit(engine, "refusing", 1);
        JobId stopped = bench.submit(engine, "stopping", 1);
        List.of(nested, fork, refused, stopped).forEach(job -> bench.workbench().await(engine, job));
        long jobs = bench.workbench().count("job");
        Reruns reruns = engine.reruns();

        assertThatThrownBy(() -> reruns.fork("default", fork, "never"))
                .isInstanceOf(ForkRefusedException.class)
                .hasMessageContaining("has not been at 'never'; it was at start, fragile, joined, left");
        assertThatThrownBy(() -> reruns.fork("default", nested, "step"))
                .hasMessageContaining("was at 'step' in several dimensions: name one of them; it was at ")
                .hasMessageContaining("step@outer:0/inner:1");
        assertThatThrownBy(() -> reruns.redrive("default", refused))
                .hasMessageContaining(
                        "would end again at once, failed (out of stock): fork it before what leads there");
        assertThatThrownBy(() -> reruns.fork("default", stopped, "end"))
                .hasMessageContaining("would end again at once, completed: fork it before what leads there");
        assertThat(bench.workbench().count("job")).isEqualTo(jobs);
        JobId again = reruns.fork("default", refused, "check");
        assertThat(bench.workbench().await(engine, again).error()).isEqualTo("out of stock");
        try (Engine ignorant = bench.workbench().idle()) {
            assertThatThrownBy(() -> ignorant.reruns().fork("default", fork, "left"))
                    .hasMessageContaining("'fork' version 1, which is not registered here: register it");
        }
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_job_is_forked_at_or_behind_a_worker_that_a_cycle_goes_back_to() {
        GraphBuilder graph = Graph.named("polling").trigger("start");
        ForkedGraphs.worker(graph, "poll", "$exists(poll) ? 2 : 1");
        ForkedGraphs.worker(graph, "after", "poll");
        bench.graph(graph.cycle("again", "poll")
                .from("start", "poll")
                .when("poll", "poll = 'poll(1)'", "again")
                .when("poll", "poll = 'poll(2)'", "after")
                .output("after")
                .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "polling", 1);
        Object first = bench.result(bench.workbench().await(engine, job));
        places();

        JobId behind = engine.reruns().fork("default", job, "after");
        assertThat(bench.result(bench.workbench().await(engine, behind))).isEqualTo(first);
        assertThat(places()).containsExactly("after@poll:1");
        JobId fork = engine.reruns().fork("default", job, "poll");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        assertThat(places()).containsExactly("after@poll:1", "poll", "poll");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_record_that_leads_elsewhere_now_is_refused() {
        GraphBuilder graph = Graph.named("choice").trigger("start");
        ForkedGraphs.worker(graph, "choose", "'a'");
        ForkedGraphs.worker(graph, "a", "1");
        ForkedGraphs.worker(graph, "b", "1");
        ForkedGraphs.worker(graph, "beside", "1");
        bench.graph(graph.from("start", "choose", "beside")
                .when("choose", "choose = 'choose(a)'", "a")
                .when("choose", "choose != 'choose(a)'", "b")
                .build());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "choice", 1);
        bench.workbench().await(engine, job);
        bench.workbench().database().transact("tamper", tx -> tx.update("""
                        update tally.activity set output = '"choose(b)"' where name = 'choose'
                        """));

        assertThatThrownBy(() -> engine.reruns().fork("default", job, "beside"))
                .isInstanceOf(ForkRefusedException.class)
                .hasMessageContaining(
                        "goes another way when its record is followed, and does not come to 'a' as it did");
        assertThat(bench.workbench().count("job")).isEqualTo(1);
    }

    @Test
    void a_fork_whose_reply_is_lost_is_begun_once() {
        bench.graph(ForkedGraphs.fork());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "fork", 1);
        Object first = bench.result(bench.workbench().await(engine, job));
        places();
        try (TcpProxy proxy = postgres.proxy();
                Engine cutOff = bench.register(bench.workbench().idle(Database.on(postgres.proxied(proxy))))) {
            proxy.onCommit(CommitPolicy.nextMentioning("set keys_of", CommitFate.LOSE_REPLY));

            JobId fork = cutOff.reruns().fork("default", job, "fragile");

            assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        }
        assertThat(places()).containsExactly("fragile", "joined");
        assertThat(bench.workbench().count("job")).isEqualTo(2);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_long_record_is_followed_to_its_end() {
        bench.graph(ForkedGraphs.hundredRounds());
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "long", Map.of());
        Object first = bench.result(bench.awaitLong(engine, job));
        places();

        JobId fork = engine.reruns().fork("default", job, "step@round:99");

        assertThat(bench.result(bench.workbench().await(engine, fork))).isEqualTo(first);
        assertThat(places()).containsExactly("step@round:99");
        assertThat(bench.ledgers(fork)).containsExactlyEntriesOf(bench.ledgers(job));
        assertThat(bench.violations()).isEmpty();
    }
}
