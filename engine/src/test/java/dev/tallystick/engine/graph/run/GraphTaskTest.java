package dev.tallystick.engine.graph.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.TaskDesk;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.engine.model.ActivityId;
import dev.tallystick.engine.model.Guid;
import dev.tallystick.engine.model.Lease;
import dev.tallystick.engine.record.Question;
import dev.tallystick.keys.Scope;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.TaskView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Graphs that ask people. */
class GraphTaskTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final String MESH = Scope.DEFAULT.mesh();
    private static final Duration SHORT = Duration.ofMillis(40);

    private static final Graph APPROVAL = Graph.named("approval")
            .trigger("start")
            .task("approve", NodeAsk.group("finance").about("{'amount': input.amount}"))
            .from("start", "approve")
            .output("approve")
            .build();

    private static final Graph IMPATIENT = Graph.named("impatient")
            .trigger("start")
            .task("approve", NodeAsk.person("input.manager").escalate(SHORT, "directors"), SHORT.multipliedBy(2))
            .from("start", "approve")
            .output("approve")
            .build();

    private final JsonCodec codec = new JsonCodec();
    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
        bench.graph(APPROVAL).graph(IMPATIENT);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void a_hook_asks_people_and_goes_on_with_their_answer() {
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "approval", Map.of("amount", 42));
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");

        assertThat(task.job()).isEqualTo(job);
        assertThat(task.name()).isEqualTo("approve");
        assertThat(task.dueAt()).isEmpty();
        assertThat(codec.<Object>decode(task.details(), Object.class)).isEqualTo(Map.of("amount", 42));
        assertThat(engine.why("default", job).text())
                .contains("approve, since", "the answer of anyone of finance to task 'approve'");

        assertThat(desk.claim(MESH, task.id(), Person.named("ada"))).isEqualTo(new TaskOutcome.Done(false));
        assertThat(engine.why("default", job).text()).contains("the answer of ada");
        assertThat(resolve(desk, task, "bob", "no", "b1")).isEqualTo(new TaskOutcome.HeldBy("ada"));
        assertThat(resolve(desk, task, "ada", "yes", "a1")).isEqualTo(new TaskOutcome.Done(false));

        assertThat(bench.result(bench.workbench().await(engine, job)))
                .isEqualTo(Map.of("timed_out", false, "round", 0, "answer", "yes"));
        assertThat(resolve(desk, task, "ada", "yes", "a1")).isEqualTo(new TaskOutcome.Done(true));
        assertThat(desk.ofGroup(MESH, "finance", null, 10)).isEmpty();
        assertThat(bench.ledgers(job)).containsEntry("|approve", "001111100000001");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void every_round_of_a_cycle_asks_anew() {
        bench.graph(Graph.named("drafts")
                        .trigger("start")
                        .worker("draft", "input")
                        .task("review", NodeAsk.group("editors").about("draft"))
                        .cycle("redraft", "review")
                        .from("start", "draft")
                        .from("draft", "review")
                        .when("review", "review.answer != 'good'", "redraft")
                        .output("review")
                        .build())
                .worker("draft", (work, input) -> "a draft");
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "drafts", "input");
        TaskDesk desk = engine.tasks();

        TaskView first = asked(desk, "editors");
        resolve(desk, first, "ada", "bad", "k");
        TaskView second = asked(desk, "editors");
        assertThat(engine.why("default", job).text()).contains("to task 'review' (" + second.id() + ")");
        resolve(desk, second, "ada", "good", "k");

        assertThat(bench.result(bench.workbench().await(engine, job)))
                .isEqualTo(Map.of("timed_out", false, "round", 1, "answer", "good"));
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(bench.workbench().count("task")).isEqualTo(2);
        assertThat(bench.ledgers(job)).containsKeys("|review", "review:0|redraft");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_task_that_nobody_answers_goes_to_the_next_group_and_then_the_graph_goes_on_without_an_answer() {
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "impatient", Map.of("manager", "ada"));

        assertThat(bench.result(bench.workbench().await(engine, job))).isEqualTo(Map.of("timed_out", true, "round", 0));
        assertThat(bench.workbench().count("""
                task where group_name = 'directors' and escalations = 1 and assignee is null and expired_at is not null
                """)).isEqualTo(1);
        assertThat(answer(engine.tasks(), job, "late"))
                .asInstanceOf(type(TaskOutcome.Over.class))
                .satisfies(over -> assertThat(over.how()).startsWith("expired at "));
        assertThat(bench.ledgers(job)).containsEntry("|approve", "001111100000001");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void what_two_engines_see_due_escalates_once() {
        JobId job = bench.accepted(IMPATIENT, Map.of("manager", "ada"));
        GraphDesk desk = new GraphDesk(bench.workbench().database(), IMPATIENT);
        desk.trigger(job, "start");
        Lease wait = desk.posting(job, "approve");
        NodeEvent due = new NodeEvent.Due(Question.signal(HookTasks.idOf(wait.guid())));

        assertThat(desk.bring(wait, due)).isEqualTo(new NodeReportResult.Done(List.of(), false));
        assertThat(desk.bring(wait, due)).isEqualTo(new NodeReportResult.LeaseLost());
        assertThat(bench.workbench().count("task where escalations = 1 and expired_at is null"))
                .isEqualTo(1);
        assertThat(bench.workbench().count("guid where name = 'approve'")).isZero();

        assertThat(desk.bring(desk.posting(job, "approve"), due)).isInstanceOf(NodeReportResult.Done.class);
        assertThat(bench.workbench().count("task where escalations = 1 and expired_at is not null"))
                .isEqualTo(1);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_answer_that_races_with_the_time_out_is_taken_or_told_that_it_is_late() {
        bench.graph(Graph.named("race")
                .trigger("start")
                .task("approve", NodeAsk.group("finance"), SHORT)
                .from("start", "approve")
                .output("approve.answer")
                .build());
        Engine engine = bench.start();
        Engine other = bench.start();
        List<JobId> jobs = IntStream.range(0, 40)
                .mapToObj(i -> bench.submit(engine, "race", i))
                .toList();

        List<CompletableFuture<TaskOutcome>> outcomes = jobs.stream()
                .map(job -> CompletableFuture.supplyAsync(() -> answer(other.tasks(), job, "yes")))
                .toList();

        for (int i = 0; i < jobs.size(); i++) {
            Object result = bench.result(bench.workbench().await(engine, jobs.get(i)));
            boolean taken = outcomes.get(i).join() instanceof TaskOutcome.Done;
            assertThat(result).isEqualTo(taken ? "yes" : null);
        }
        assertThat(bench.workbench().count("task where resolved_at is null and expired_at is null"))
                .isZero();
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void an_answer_is_taken_where_the_graph_is_not_known() {
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "approval", Map.of("amount", 1));
        TaskView task = asked(engine.tasks(), "finance");
        try (Engine ignorant = bench.workbench().idle()) {
            assertThat(resolve(ignorant.tasks(), task, "ada", "yes", "a1")).isEqualTo(new TaskOutcome.Done(false));
        }

        assertThat(bench.result(bench.workbench().await(engine, job)))
                .isEqualTo(Map.of("timed_out", false, "round", 0, "answer", "yes"));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_task_ends_with_its_job() {
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "approval", Map.of("amount", 1));
        TaskView task = asked(engine.tasks(), "finance");
        engine.cancel("default", job);
        bench.workbench().await(engine, job);

        assertThat(engine.tasks().ofGroup(MESH, "finance", null, 10)).isEmpty();
        assertThat(resolve(engine.tasks(), task, "ada", "yes", "a1"))
                .isEqualTo(new TaskOutcome.Over("ended with its job"));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_task_for_nobody_fails_its_job_and_names_the_node() {
        Engine engine = bench.start();

        assertThat(bench.run(engine, "impatient", Map.of()).error())
                .contains("node 'approve': 'input.manager' names no one");
        assertThat(bench.run(engine, "impatient", Map.of("manager", " ")).error())
                .contains("the name of a person has 1 to 200 characters, got ' '");
        assertThat(bench.workbench().count("task")).isZero();
        assertThat(bench.violations()).isEmpty();
    }

    private static TaskView asked(TaskDesk desk, String group) {
        return Eventually.value(
                        group + " is asked",
                        Workbench.PATIENCE,
                        () -> desk.ofGroup(MESH, group, null, 10),
                        tasks -> !tasks.isEmpty())
                .getFirst();
    }

    private TaskOutcome resolve(TaskDesk desk, TaskView task, String person, String answer, String key) {
        return desk.resolve(MESH, task.id(), Person.named(person), codec.encode(answer), key);
    }

    /** The answer to a job's only task, also if that is over. */
    private TaskOutcome answer(TaskDesk desk, JobId job, String answer) {
        TaskId task = HookTasks.idOf(Guid.of(new ActivityId(job, "", "approve"), 0));
        return Eventually.value(
                "the task is there",
                () -> desk.resolve(MESH, task, Person.named("ada"), codec.encode(answer), "k"),
                outcome -> !(outcome instanceof TaskOutcome.NoSuchTask));
    }
}
