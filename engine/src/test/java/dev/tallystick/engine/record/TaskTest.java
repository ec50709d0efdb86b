package dev.tallystick.engine.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.QuietDeaths;
import dev.tallystick.engine.TaskDesk;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.model.EngineCrashPoint;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.CrashAt;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.SimulatedCrash;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.Submission;
import dev.tallystick.workflow.TaskId;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.TaskView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(QuietDeaths.class)
class TaskTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final String MESH = Scope.DEFAULT.mesh();
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(50);

    /** Polls seldom, so that most of the commits are those of the job. */
    private static final EngineSettings DYING = Workbench.SETTINGS.poll(Duration.ofMillis(300));

    private final JsonCodec codec = new JsonCodec();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @BeforeEach
    void open() {
        workbench.workflow(
                "approval",
                (ctx, input) ->
                        ctx.task("approve", String.class, Ask.group("finance").about(input)));
        workbench.workflow(
                "escalating",
                (ctx, input) -> ctx.task(
                        "approve", String.class, Ask.person("ada").about(input).escalate(SHORT, "directors")));
        workbench.workflow(
                "hurried",
                (ctx, input) -> ctx.task("approve", String.class, Ask.group("finance"), SHORT)
                        .orElse("no one answered"));
    }

    @Test
    void a_job_asks_and_somebody_claims_and_answers() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "approval", "key");
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");

        assertThat(task.name()).isEqualTo("approve");
        assertThat(task.job()).isEqualTo(job);
        assertThat(codec.<String>decode(task.details(), String.class)).isEqualTo("input");
        workbench.awaitParked();
        assertThat(engine.why("default", job).text()).contains("the answer of anyone of finance to task 'approve'");

        assertThat(desk.claim(MESH, task.id(), Person.named("ada"))).isEqualTo(new TaskOutcome.Done(false));
        assertThat(desk.claim(MESH, task.id(), Person.named("ada"))).isEqualTo(new TaskOutcome.Done(true));
        assertThat(desk.claim(MESH, task.id(), Person.named("bob"))).isEqualTo(new TaskOutcome.HeldBy("ada"));
        assertThat(desk.heldBy(MESH, Person.named("ada"), null, 10))
                .extracting(TaskView::id)
                .containsExactly(task.id());
        assertThat(engine.why("default", job).text()).contains("the answer of ada");
        assertThat(resolve(desk, task, "bob", "no", "b1")).isEqualTo(new TaskOutcome.HeldBy("ada"));
        assertThat(resolve(desk, task, "ada", "yes", "a1")).isEqualTo(new TaskOutcome.Done(false));

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("yes");
        assertThat(desk.ofGroup(MESH, "finance", null, 10)).isEmpty();
        assertThat(desk.heldBy(MESH, Person.named("ada"), null, 10)).isEmpty();
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void an_answer_that_is_repeated_under_its_key_gets_its_first_reply_also_after_the_end() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "approval", "key");
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");
        resolve(desk, task, "ada", "yes", "a1");
        workbench.await(engine, job);

        assertThat(resolve(desk, task, "ada", "yes", "a1")).isEqualTo(new TaskOutcome.Done(true));
        assertThat(resolve(desk, task, "ada", "no", "a2"))
                .asInstanceOf(type(TaskOutcome.Over.class))
                .satisfies(over -> assertThat(over.how()).startsWith("was resolved by ada at "));
        assertThat(desk.claim(MESH, task.id(), Person.named("bob"))).isInstanceOf(TaskOutcome.Over.class);
    }

    @Test
    void of_many_answers_at_once_one_is_taken_and_the_job_gets_that_one() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "approval", "key");
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");

        List<CompletableFuture<Optional<String>>> answers = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> resolve(desk, task, "p" + i, "answer " + i, "k" + i) instanceof TaskOutcome.Done
                                ? Optional.of("answer " + i)
                                : Optional.<String>empty()))
                .toList();
        List<String> taken = answers.stream()
                .map(CompletableFuture::join)
                .flatMap(Optional::stream)
                .toList();

        assertThat(taken).hasSize(1);
        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo(taken.getFirst());
    }

    @Test
    void what_is_released_can_be_claimed_by_another() {
        Engine engine = workbench.start();
        workbench.submit(engine, "approval", "key");
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");
        desk.claim(MESH, task.id(), Person.named("ada"));

        assertThat(desk.release(MESH, task.id(), Person.named("bob"))).isEqualTo(new TaskOutcome.HeldBy("ada"));
        assertThat(desk.release(MESH, task.id(), Person.named("ada"))).isEqualTo(new TaskOutcome.Done(false));
        assertThat(desk.release(MESH, task.id(), Person.named("ada"))).isEqualTo(new TaskOutcome.Done(true));

        assertThat(desk.claim(MESH, task.id(), Person.named("bob"))).isEqualTo(new TaskOutcome.Done(false));
    }

    @Test
    void a_task_that_nobody_answers_goes_to_the_next_group() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "escalating", "key");
        TaskDesk desk = engine.tasks();

        TaskView task = asked(desk, "directors");

        assertThat(task.assignee()).isEmpty();
        assertThat(task.escalations()).isEqualTo(1);
        assertThat(desk.heldBy(MESH, Person.named("ada"), null, 10)).isEmpty();
        resolve(desk, task, "eve", "yes", "e1");
        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("yes");
    }

    @Test
    void a_task_can_be_handed_on_by_hand() {
        Engine engine = workbench.start();
        workbench.submit(engine, "approval", "key");
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");
        desk.claim(MESH, task.id(), Person.named("ada"));

        assertThat(desk.escalate(MESH, task.id(), "directors")).isEqualTo(new TaskOutcome.Done(false));

        assertThat(desk.ofGroup(MESH, "finance", null, 10)).isEmpty();
        assertThat(asked(desk, "directors").assignee()).isEmpty();
    }

    @Test
    void a_task_whose_time_is_over_can_no_longer_be_answered() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "hurried", "key");
        TaskDesk desk = engine.tasks();
        Closed closed = workbench.await(engine, job);

        assertThat(workbench.result(closed)).isEqualTo("no one answered");
        TaskId id = new TaskId(workbench
                .database()
                .transact("task", tx -> tx.first("select id from tally.task", row -> row.getObject("id", UUID.class)))
                .orElseThrow());
        assertThat(desk.resolve(MESH, id, Person.named("ada"), codec.encode("late"), "a1"))
                .asInstanceOf(type(TaskOutcome.Over.class))
                .satisfies(over -> assertThat(over.how()).startsWith("expired at "));
        assertThat(desk.ofGroup(MESH, "finance", null, 10)).isEmpty();
    }

    @Test
    void an_answer_between_the_time_out_and_its_consequence_is_taken_and_counts() {
        Gate resumed = new Gate("the body that was woken by its time-out");
        workbench.workflow("slow", (ctx, input) -> {
            Optional<String> answer = ctx.task("approve", String.class, Ask.group("finance"), SHORT);
            return answer.orElse("no one answered");
        });
        Engine engine = workbench.start(point -> {
            if (point == EngineCrashPoint.TIMER_RECORDED) {
                resumed.pass();
            }
        });
        JobId job = workbench.submit(engine, "slow", "key");
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");
        resumed.awaitArrival();
        TaskOutcome outcome = resolve(desk, task, "ada", "just in time", "a1");
        resumed.open();

        String result = workbench.result(workbench.await(engine, job));

        assertThat(result).isEqualTo(outcome instanceof TaskOutcome.Done ? "just in time" : "no one answered");
    }

    @Test
    void a_task_ends_with_its_job() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "approval", "key");
        TaskDesk desk = engine.tasks();
        TaskView task = asked(desk, "finance");
        engine.cancel("default", job);
        workbench.await(engine, job);

        assertThat(desk.ofGroup(MESH, "finance", null, 10)).isEmpty();
        assertThat(resolve(desk, task, "ada", "yes", "a1")).isEqualTo(new TaskOutcome.Over("ended with its job"));
        assertThat(desk.claim(MESH, new TaskId(job.value()), Person.named("ada")))
                .isEqualTo(new TaskOutcome.NoSuchTask());
        assertThat(desk.claim("other", task.id(), Person.named("ada"))).isEqualTo(new TaskOutcome.NoSuchTask());
    }

    @Test
    void tasks_are_listed_a_page_at_a_time_the_oldest_first() {
        Engine engine = workbench.start();
        TaskDesk desk = engine.tasks();
        IntStream.range(0, 7).forEach(i -> workbench.submit(engine, "approval", "key" + i));
        Eventually.value("all are asked", () -> desk.ofGroup(MESH, "finance", null, 100), all -> all.size() == 7);

        List<TaskView> listed = new ArrayList<>(desk.ofGroup(MESH, "finance", null, 3));
        listed.addAll(desk.ofGroup(MESH, "finance", listed.getLast().id(), 3));
        listed.addAll(desk.ofGroup(MESH, "finance", listed.getLast().id(), 3));

        assertThat(listed).extracting(TaskView::id).doesNotHaveDuplicates().hasSize(7);
        assertThat(listed).extracting(TaskView::askedAt).isSorted();
        assertThatThrownBy(() -> desk.ofGroup(MESH, "finance", null, 0)).hasMessageContaining("1 to 1000");
    }

    @Test
    void an_answer_cannot_be_forged_as_a_signal() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "approval", "key");
        TaskView task = asked(engine.tasks(), "finance");

        assertThatThrownBy(() -> engine.signal("default", job, Question.signal(task.id()), "k", codec.encode("yes")))
                .hasMessageContaining("the engine's own");
    }

    @Test
    void a_question_that_would_expire_before_it_escalates_is_refused() {
        workbench.workflow(
                "hasty",
                (ctx, input) -> ctx.task("approve", String.class, Ask.group("a").escalate(LONG, "b"), SHORT)
                        .orElse(""));
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "hasty", "key"));

        assertThat(closed.error()).contains("before its last escalation");
    }

    @Test
    void an_answer_whose_reply_is_lost_is_there_and_can_be_repeated() {
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "approval", "key");
        TaskView task = asked(engine.tasks(), "finance");
        try (TcpProxy proxy = postgres.proxy()) {
            TaskDesk cutOff = new TaskDesk(Database.on(postgres.proxied(proxy)), engine);
            proxy.onCommit(CommitPolicy.nextMentioning("update tally.task", CommitFate.LOSE_REPLY));

            assertThatThrownBy(() -> resolve(cutOff, task, "ada", "yes", "a1"))
                    .isInstanceOf(UnknownOutcomeException.class);
        }
        assertThat(resolve(engine.tasks(), task, "ada", "yes", "a1")).isEqualTo(new TaskOutcome.Done(true));
        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("yes");
    }

    static Stream<Arguments> deaths() {
        return Stream.of(
                        IntStream.rangeClosed(1, 3).mapToObj(n -> Arguments.of(EngineCrashPoint.TRANSACTED, n)),
                        IntStream.rangeClosed(1, 2).mapToObj(n -> Arguments.of(EngineCrashPoint.PARKED, n)),
                        Stream.of(Arguments.of(EngineCrashPoint.TIMER_RECORDED, 1)),
                        IntStream.rangeClosed(2, 5).mapToObj(n -> Arguments.of(SqlCrashPoint.BEFORE_COMMIT, n)),
                        IntStream.rangeClosed(2, 5).mapToObj(n -> Arguments.of(SqlCrashPoint.AFTER_COMMIT, n)))
                .flatMap(each -> each);
    }

    /** The engine dies while it asks or escalates, another takes over, and one answer counts. */
    @ParameterizedTest
    @MethodSource("deaths")
    void a_question_survives_the_engine_that_asked_it(CrashPoint point, int arrival) {
        CrashAt crash = CrashAt.nth(point, arrival);
        AtomicBoolean armed = new AtomicBoolean();
        CrashPoints later = reached -> {
            if (armed.get()) {
                crash.reached(reached);
            }
        };
        Database dying = Database.on(postgres.dataSource(), RandomGenerator.getDefault(), later);
        Engine doomed = workbench.start(dying, DYING, later);
        JobId job = jobOf(doomed.submit(delayed()).join());
        armed.set(true);
        Eventually.holds(
                "the engine is dead, or has done all it can",
                () -> crash.hasCrashed() || !listed(doomed.tasks(), "directors").isEmpty());
        workbench.kill(doomed);
        Engine survivor = workbench.start();
        TaskDesk desk = survivor.tasks();

        TaskView task = asked(desk, "directors");

        assertThat(resolve(desk, task, "eve", "yes", "e1")).isEqualTo(new TaskOutcome.Done(false));
        assertThat(workbench.result(workbench.await(survivor, job))).isEqualTo("yes");
        assertThat(workbench.count("task")).isEqualTo(1);
        assertThat(workbench.violations()).isEmpty();
    }

    private static JobId jobOf(Accepted accepted) {
        return ((Accepted.Fresh) accepted).job();
    }

    /** Not begun before the test is ready for it. */
    private Submission delayed() {
        Submission now = workbench.submission("escalating", "key", "input");
        return new Submission(
                now.mesh(),
                now.workflow(),
                now.input(),
                now.key(),
                now.fingerprint(),
                now.priority(),
                Duration.ofMillis(100));
    }

    private static TaskView asked(TaskDesk desk, String group) {
        return Eventually.value(
                        group + " is asked",
                        Workbench.PATIENCE,
                        () -> desk.ofGroup(MESH, group, null, 10),
                        tasks -> !tasks.isEmpty())
                .getFirst();
    }

    /** What a dying engine still says; nothing once it is dead. */
    private static List<TaskView> listed(TaskDesk desk, String group) {
        try {
            return desk.ofGroup(MESH, group, null, 10);
        } catch (SimulatedCrash dead) {
            return List.of();
        }
    }

    private TaskOutcome resolve(TaskDesk desk, TaskView task, String person, String answer, String key) {
        return desk.resolve(MESH, task.id(), Person.named(person), codec.encode(answer), key);
    }
}
