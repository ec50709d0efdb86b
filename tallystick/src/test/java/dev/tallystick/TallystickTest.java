package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Priority;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.UnknownWorkflowException;
import dev.tallystick.workflow.Workflow;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The library as its users meet it. */
class TallystickTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    record Order(String item, int quantity) {}

    record Confirmation(String number, Order order) {}

    static final class OrderWorkflow implements Workflow<Order, Confirmation> {

        @Override
        public Confirmation run(Context ctx, Order order) {
            String number = ctx.step("reserve", String.class, () -> order.item() + "-1");
            ctx.step("charge", String.class, () -> "charged under " + ctx.key());
            return ctx.step("confirm", Confirmation.class, () -> new Confirmation(number, order));
        }
    }

    @Test
    void an_order_is_confirmed_and_its_key_gives_the_same_job_again() throws Exception {
        try (Tallystick tally = tally()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();
            Order order = new Order("apple", 3);

            JobHandle<Confirmation> job = tally.submit("order", order, Submit.key("web-1:42:9f3a6c0b1d2e4f58"));
            JobHandle<Confirmation> again = tally.submit("order", order, Submit.key("web-1:42:9f3a6c0b1d2e4f58"));

            assertThat(job.result(PATIENCE)).isEqualTo(new Confirmation("apple-1", order));
            assertThat(again.isDuplicate()).isTrue();
            assertThat(again.id()).isEqualTo(job.id());
            assertThat(again.result(PATIENCE)).isEqualTo(job.result(PATIENCE));
        }
    }

    @Test
    void the_key_of_another_request_is_refused_with_both_fingerprints() {
        try (Tallystick tally = tally()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();
            tally.submit("order", new Order("apple", 3), Submit.key("k"));

            assertThatThrownBy(() -> tally.submit("order", new Order("apple", 4), Submit.key("k")))
                    .isInstanceOf(KeyReusedException.class)
                    .hasMessageContaining("use a new key for a new request");
        }
    }

    @Test
    void an_unknown_workflow_is_refused_and_leaves_the_key_free() throws Exception {
        try (Tallystick tally = tally()) {
            tally.start();
            assertThatThrownBy(() -> tally.submit("order", new Order("apple", 3), Submit.key("k")))
                    .isInstanceOf(UnknownWorkflowException.class)
                    .hasMessageContaining("'order'");

            tally.register("order", OrderWorkflow.class);
            assertThat(tally.submit("order", new Order("apple", 3), Submit.key("k"))
                            .isDuplicate())
                    .isFalse();
        }
    }

    @Test
    void a_job_submitted_in_a_transaction_exists_only_if_that_commits() throws Exception {
        try (Tallystick tally = tally();
                Connection connection = postgres.unpooled().getConnection()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();
            connection.setAutoCommit(false);
            tally.submit(connection, "order", new Order("apple", 1), Submit.key("k"));
            connection.rollback();
            JobHandle<Confirmation> job = tally.submit(connection, "order", new Order("pear", 1), Submit.key("k"));
            connection.commit();

            assertThat(job.isDuplicate()).isFalse();
            assertThat(job.result(PATIENCE).number()).isEqualTo("pear-1");
        }
    }

    @Test
    void a_waiting_job_says_why_and_goes_on_when_it_is_signalled() throws Exception {
        try (Tallystick tally = tally()) {
            tally.register("approval", String.class, String.class, (ctx, input) -> {
                String by = ctx.await("approve", String.class);
                return input + " approved by " + by;
            });
            tally.start();
            JobHandle<String> job = tally.submit("approval", "expenses", Submit.key("k"));
            Eventually.holds("it waits", () -> job.why().text().contains("not claimed"));

            assertThat(job.why().text()).contains("a signal 'approve'");
            assertThatThrownBy(() -> job.result(Duration.ofMillis(1))).isInstanceOf(JobOpenException.class);
            assertThat(job.signal("approve", "click-1", "the boss")).isEqualTo(new Signalled.Kept(false));

            assertThat(job.result(PATIENCE)).isEqualTo("expenses approved by the boss");
            assertThat(job.why().text()).contains("closed, completed");
        }
    }

    @Test
    void a_failed_job_says_what_failed() {
        try (Tallystick tally = tally()) {
            tally.register("doomed", String.class, String.class, (ctx, input) -> {
                throw new IllegalStateException("out of stock");
            });
            tally.start();

            assertThatThrownBy(
                            () -> tally.submit("doomed", "", Submit.unkeyed()).result(PATIENCE))
                    .isInstanceOf(JobFailedException.class)
                    .hasMessageContaining("out of stock");
        }
    }

    @Test
    void one_process_accepts_and_another_runs() throws Exception {
        try (Tallystick accepting = tally();
                Tallystick running = tally()) {
            accepting.register("order", OrderWorkflow.class);
            running.register("order", OrderWorkflow.class);
            JobHandle<Confirmation> job = accepting.submit(
                    "order", new Order("apple", 1), Submit.key("k").priority(Priority.NOW));
            running.start();

            assertThat(running.job(job.id(), Confirmation.class)
                            .result(PATIENCE)
                            .number())
                    .isEqualTo("apple-1");
        }
    }

    @Test
    void a_delayed_job_waits_for_its_time() throws Exception {
        try (Tallystick tally = tally()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();

            JobHandle<Confirmation> job =
                    tally.submit("order", new Order("apple", 1), Submit.key("k").after(Duration.ofMillis(300)));

            assertThat(job.why().text()).contains("not before");
            assertThat(job.result(PATIENCE).number()).isEqualTo("apple-1");
        }
    }

    @Test
    void the_embedded_database_remembers_what_was_done(@TempDir Path directory) throws Exception {
        Submit how = Submit.key("k");
        Order order = new Order("apple", 1);
        try (Tallystick tally = Tallystick.builder().embedded(directory).build()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();
            tally.submit("order", order, how).result(PATIENCE);
        }
        try (Tallystick tally = Tallystick.builder().embedded(directory).build()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();
            JobHandle<Confirmation> job = tally.submit("order", order, how);

            assertThat(job.isDuplicate()).isTrue();
            assertThat(job.result(PATIENCE).number()).isEqualTo("apple-1");
        }
    }

    @Test
    void a_builder_wants_exactly_one_database(@TempDir Path directory) {
        assertThatThrownBy(() -> Tallystick.builder().build()).hasMessageContaining("name one database");
        assertThatThrownBy(() -> Tallystick.builder()
                        .dataSource(postgres.dataSource())
                        .embedded(directory)
                        .build())
                .hasMessageContaining("name one database");
    }

    private static Tallystick tally() {
        return Tallystick.builder().dataSource(postgres.dataSource()).build();
    }
}
