package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.UnknownWorkflowException;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes that share a database and its work: some only submit, some only run, some only do the work of topics. */
class ProcessesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    /** Two pieces of work for a topic, each tried once, and something in between for a process that has the graph. */
    private static final Graph ORDER = Graph.named("order")
            .trigger("received")
            .topic("charge", "charge-card", "input", Retry.NONE)
            .await("packed", "pack", "charge")
            .topic("refund", "charge-card", "packed", Retry.NONE)
            .from("received", "charge")
            .from("charge", "packed")
            .from("packed", "refund")
            .output("refund")
            .build();

    @Test
    void one_process_submits_one_runs_the_graph_and_one_does_the_work_of_its_topic() throws Exception {
        List<String> done = new CopyOnWriteArrayList<>();
        try (Tallystick submitting = tally();
                Tallystick running = tally();
                Tallystick working = tally()) {
            working.worker("charge-card", String.class, (work, input) -> {
                done.add(work.node() + " " + work.attempt());
                return work.node() + " of " + input;
            });
            working.start();
            registerOrder(running);
            running.start();

            JobHandle<String> job =
                    submitting.submit("order", "apples", Submit.key("k")).as(String.class);

            assertThat(job.result(PATIENCE)).isEqualTo("refund of box with charge of apples");
            assertThat(done).containsExactly("charge 1", "refund 1");
            assertThat(submitting.submit("order", "apples", Submit.key("k")).id())
                    .isEqualTo(job.id());
            assertThatThrownBy(() -> submitting.submit("order", "pears", Submit.key("k")))
                    .isInstanceOf(KeyReusedException.class);
        }
    }

    @Test
    void a_process_without_workers_runs_a_graph_and_leaves_its_topics_to_others() throws Exception {
        try (Tallystick running = tally()) {
            registerOrder(running);
            running.start();
            JobHandle<String> job =
                    running.submit("order", "apples", Submit.key("k")).as(String.class);
            Eventually.holds("it waits for a worker", () -> job.why().text().contains("charge"));
            assertThat(job.outcome(Duration.ZERO)).isEmpty();

            try (Tallystick working = tally()) {
                working.worker("charge-card", String.class, (work, input) -> work.node() + " of " + input);
                working.start();

                assertThat(job.result(PATIENCE)).isEqualTo("refund of box with charge of apples");
            }
        }
    }

    @Test
    void a_process_with_workers_alone_takes_what_is_left_when_the_one_with_the_graph_is_gone() throws Exception {
        CountDownLatch worked = new CountDownLatch(1);
        JobHandle<String> job;
        try (Tallystick working = tally()) {
            try (Tallystick running = tally()) {
                registerOrder(running);
                running.start();
                JobHandle<String> begun =
                        running.submit("order", "apples", Submit.key("k")).as(String.class);
                Eventually.holds(
                        "it waits for a worker", () -> begun.why().text().contains("charge"));
                job = working.job(begun.id(), String.class);
            }
            working.worker("charge-card", String.class, (work, input) -> {
                worked.countDown();
                return work.node() + " of " + input;
            });
            working.start();
            assertThat(worked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(job.outcome(Duration.ofMillis(300)))
                    .as("the rest is for a process that runs workflows")
                    .isEmpty();

            try (Tallystick running = tally()) {
                registerOrder(running);
                running.start();
                assertThat(job.result(PATIENCE)).isEqualTo("refund of box with charge of apples");
            }
        }
    }

    @Test
    void work_that_a_closing_process_gives_back_is_done_by_another_under_the_same_key() throws Exception {
        Set<String> keys = ConcurrentHashMap.newKeySet();
        CountDownLatch begun = new CountDownLatch(1);
        try (Tallystick running = tally();
                Tallystick second = tally()) {
            running.register(Graph.named("one")
                    .trigger("received")
                    .topic("charge", "charge-card", "input", Retry.DEFAULT)
                    .from("received", "charge")
                    .output("charge")
                    .build());
            running.start();
            Tallystick first = tally();
            first.worker("charge-card", String.class, (work, input) -> {
                keys.add(work.key());
                begun.countDown();
                new CountDownLatch(1).await();
                return "never";
            });
            first.start();
            JobHandle<String> job =
                    running.submit("one", "apples", Submit.key("k")).as(String.class);
            begun.await();
            first.close();

            second.worker("charge-card", String.class, (work, input) -> {
                keys.add(work.key());
                return "charged";
            });
            second.start();

            assertThat(job.result(PATIENCE)).isEqualTo("charged");
            assertThat(keys).hasSize(1);
        }
    }

    @Test
    void a_workflow_of_code_is_submitted_where_it_is_not_registered_and_runs_where_it_is() throws Exception {
        try (Tallystick submitting = tally();
                Tallystick running = tally()) {
            submitting.start();
            assertThatThrownBy(() -> submitting.submit("greet", "Ada", Submit.key("k")))
                    .isInstanceOf(UnknownWorkflowException.class);
            running.register("greet", String.class, String.class, (ctx, name) -> "hello " + name);
            running.start();

            JobHandle<String> job =
                    submitting.submit("greet", "Ada", Submit.key("k")).as(String.class);

            assertThat(job.result(PATIENCE)).isEqualTo("hello Ada");
        }
    }

    @Test
    void a_started_process_submits_and_signals_a_graph_that_only_another_one_has() throws Exception {
        try (Tallystick submitting = tally();
                Tallystick running = tally()) {
            submitting.start();
            running.register(Graph.named("approval")
                    .trigger("asked")
                    .hook("approved", "approve")
                    .await("packed", "pack", "approved.signal")
                    .from("asked", "approved")
                    .from("approved", "packed")
                    .output("packed")
                    .build());
            JobHandle<String> job =
                    submitting.submit("approval", "apples", Submit.key("k")).as(String.class);
            running.register("pack", String.class, String.class, (ctx, what) -> "box with " + what);
            running.start();
            Eventually.holds("it waits", () -> job.why().text().contains("approve"));

            job.signal("approve", "s1", "apples");

            assertThat(job.result(PATIENCE)).isEqualTo("box with apples");
        }
    }

    @Test
    void whoever_has_not_the_code_submits_the_newest_version_or_the_one_that_is_named() throws Exception {
        try (Tallystick submitting = tally();
                Tallystick running = tally()) {
            running.register("greet", String.class, String.class, (ctx, name) -> "hello " + name);
            running.register(WorkflowType.of("greet", String.class, String.class, (ctx, name) -> "good day " + name)
                    .version(2));
            running.start();

            assertThat(submitting.submit("greet", "Ada", Submit.unkeyed()).result(PATIENCE))
                    .isEqualTo("good day Ada");
            assertThat(submitting
                            .submit("greet", "Ada", Submit.unkeyed().version(1))
                            .result(PATIENCE))
                    .isEqualTo("hello Ada");
            assertThatThrownBy(() ->
                            submitting.submit("greet", "Ada", Submit.unkeyed().version(3)))
                    .isInstanceOf(UnknownWorkflowException.class)
                    .hasMessageContaining("only in [1, 2]");
        }
    }

    @Test
    void a_workflow_with_a_limit_is_not_submitted_by_those_who_cannot_tell_its_key() {
        try (Tallystick submitting = tally();
                Tallystick running = tally()) {
            running.register(WorkflowType.of("greet", String.class, String.class, (ctx, name) -> "hello " + name)
                    .limit(Limit.<String>per(name -> name).concurrency(1)));

            assertThatThrownBy(() -> submitting.submit("greet", "Ada", Submit.key("k")))
                    .isInstanceOf(UnknownWorkflowException.class)
                    .hasMessageContaining("register it where its jobs are submitted");
        }
    }

    private static void registerOrder(Tallystick tally) {
        tally.register(ORDER);
        tally.register("pack", String.class, String.class, (ctx, what) -> "box with " + what);
    }

    private static Tallystick tally() {
        return Tallystick.builder()
                .dataSource(postgres.dataSource())
                .settings(EngineSettings.DEFAULT.poll(Duration.ofMillis(100)))
                .build();
    }
}
