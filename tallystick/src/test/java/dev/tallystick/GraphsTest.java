package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.InvalidGraphException;
import dev.tallystick.engine.graph.NodeAsk;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.PayloadTooLargeException;
import dev.tallystick.workflow.Retry;
import dev.tallystick.workflow.Signalled;
import dev.tallystick.workflow.TaskOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Graphs in the library, and the code that the guide to them shows. */
class GraphsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String GREETING = """
            workflow: greeting
            nodes:
              begin:
                kind: trigger
                next: greet
              greet:
                kind: worker
                input: "{'name': input.name}"
            output: greet
            """;

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    record Guest(String name) {}

    record Greeting(String text, int attempt) {}

    private Tallystick tally;

    @BeforeEach
    void open() {
        tally = Tallystick.builder().dataSource(postgres.dataSource()).build();
    }

    @AfterEach
    void close() {
        tally.close();
    }

    @Test
    void a_graph_in_yaml_runs_with_typed_workers_under_a_key() throws Exception {
        tally.registerYaml(GREETING);
        tally.worker("greet", Guest.class, (work, guest) -> new Greeting("hello " + guest.name(), work.attempt()));
        tally.start();

        JobHandle<Greeting> job =
                tally.submit("greeting", new Guest("Ada"), Submit.key("k")).as(Greeting.class);

        assertThat(job.result(PATIENCE)).isEqualTo(new Greeting("hello Ada", 1));
        assertThat(tally.submit("greeting", new Guest("Ada"), Submit.key("k")).id())
                .isEqualTo(job.id());
        assertThatThrownBy(() -> tally.submit("greeting", new Guest("Grace"), Submit.key("k")))
                .isInstanceOf(KeyReusedException.class);
        assertThat(job.why().text()).contains("closed, completed");
    }

    @Test
    void a_graph_from_a_file_says_what_is_wrong_with_it_and_where(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("greeting.yaml");
        Files.writeString(file, GREETING.replace("next: greet", "next: great"));

        assertThatThrownBy(() -> tally.registerYaml(file))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("greeting.yaml:")
                .hasMessageContaining("'great'");
    }

    @Test
    void a_graph_drawn_in_code_waits_for_its_signal_and_says_so() throws Exception {
        tally.register(Graph.named("approval")
                .trigger("asked")
                .hook("approved", "approve")
                .worker("note", "approved.signal")
                .from("asked", "approved")
                .from("approved", "note")
                .output("note")
                .build());
        tally.worker("note", String.class, (work, by) -> "approved by " + by);
        tally.start();
        JobHandle<String> job = tally.submit("approval", null, Submit.key("k")).as(String.class);
        Eventually.holds("it waits", () -> job.why().text().contains("approve"));

        assertThatThrownBy(() -> job.signal("approve", "click-1", "x".repeat(1 << 20)))
                .isInstanceOf(PayloadTooLargeException.class);
        assertThat(job.signal("approve", "click-1", "the boss")).isEqualTo(new Signalled.Kept(false));

        assertThat(job.result(PATIENCE)).isEqualTo("approved by the boss");
        assertThat(job.signal("approve", "click-1", "the boss")).isEqualTo(new Signalled.Kept(true));
    }

    @Test
    void a_graph_asks_people() throws Exception {
        tally.register(Graph.named("review")
                .trigger("asked")
                .task("reviewed", NodeAsk.group("editors").about("input"))
                .from("asked", "reviewed")
                .output("reviewed.answer")
                .build());
        tally.start();
        JobHandle<String> job =
                tally.submit("review", "a book", Submit.key("k")).as(String.class);
        Task task = Eventually.value(
                        "editors are asked", () -> tally.tasks().ofGroup("editors"), tasks -> !tasks.isEmpty())
                .getFirst();

        assertThat(task.details(String.class)).isEqualTo("a book");
        assertThat(tally.tasks().resolve(task.id(), "ada", "print it", "a1")).isEqualTo(new TaskOutcome.Done(false));

        assertThat(job.result(PATIENCE)).isEqualTo("print it");
    }

    @Test
    void a_graph_and_code_run_each_other() throws Exception {
        tally.registerYaml(GREETING);
        tally.worker("greet", Guest.class, (work, guest) -> "hello " + guest.name());
        tally.register(
                "welcome",
                String.class,
                String.class,
                (ctx, name) -> ctx.child("greeting", new Guest(name), String.class) + ", come in");
        tally.register(Graph.named("party")
                .trigger("begin")
                .await("welcomed", "welcome", "input")
                .from("begin", "welcomed")
                .output("welcomed")
                .build());
        tally.start();

        JobHandle<String> job = tally.submit("party", "Ada", Submit.unkeyed()).as(String.class);

        assertThat(job.result(PATIENCE)).isEqualTo("hello Ada, come in");
    }

    @Test
    void a_worker_that_fails_for_good_fails_the_job_which_is_redriven_when_the_cause_is_gone() throws Exception {
        boolean[] open = {false};
        tally.register(Graph.named("visit")
                .trigger("begin")
                .worker("enter", "enter", "input", Retry.NONE)
                .from("begin", "enter")
                .output("enter")
                .build());
        tally.worker("enter", String.class, (work, name) -> {
            if (!open[0]) {
                throw new IllegalStateException("the door is locked");
            }
            return name + " is in";
        });
        tally.start();
        JobHandle<String> job = tally.submit("visit", "Ada", Submit.key("k")).as(String.class);
        assertThatThrownBy(() -> job.result(PATIENCE))
                .isInstanceOf(JobFailedException.class)
                .hasMessageContaining("the door is locked");

        open[0] = true;
        JobHandle<String> again = tally.redrive(tally.deadLetters().getFirst()).as(String.class);

        assertThat(again.result(PATIENCE)).isEqualTo("Ada is in");
    }

    record Order(String sku, int pieces, int price, String card) {}

    record Reservation(String sku, int pieces) {}

    record Payment(String card, int amount) {}

    record Parcel(String shelf, String receipt) {}

    record Look(String parcel, int looked) {}

    record Shipment(String parcel, String receipt, int looked) {}

    @Test
    void the_order_of_the_guide_is_registered_and_run_as_it_says(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("order.yaml"), example("workflow: order"));
        Order order = new Order("x", 200, 10, "c");

        tally.registerYaml(directory.resolve("order.yaml"));
        tally.worker("reserve-stock", Reservation.class, (work, reservation) -> shelves.reserve(reservation));
        tally.worker("charge-card", Payment.class, (work, payment) -> bank.charge(payment, work.key()));
        tally.worker("note-approval", String.class, (work, by) -> by);
        tally.worker("hand-to-carrier", Parcel.class, (work, parcel) -> Map.of("parcel", "p-" + parcel.shelf()));
        tally.worker(
                "track-parcel",
                Look.class,
                (work, look) -> Map.of("arrived", look.looked() == 2, "looked", look.looked()));
        tally.start();

        JobHandle<Shipment> job = tally.submit("order", order, Submit.key("web-1:42:9f3a6c0b1d2e4f58"))
                .as(Shipment.class);
        job.signal("approve", "click-7", Map.of("by", "the owner"));
        Shipment shipment = job.result(Duration.ofSeconds(30));

        assertThat(shipment).isEqualTo(new Shipment("p-A7", "r-c", 2));
    }

    private static final Shelves shelves = new Shelves();
    private static final Bank bank = new Bank();

    static final class Shelves {
        Map<String, String> reserve(Reservation reservation) {
            return Map.of("shelf", "A7", "sku", reservation.sku());
        }
    }

    static final class Bank {
        Map<String, Object> charge(Payment payment, String key) {
            assertThat(key).isNotEmpty();
            return Map.of("receipt", "r-" + payment.card(), "amount", payment.amount());
        }
    }

    /** The block of the guide that begins so. */
    private static String example(String opening) throws IOException {
        String guide = Files.readString(Path.of(System.getProperty("tally.root"), "docs/guides/graph-workflows.md"));
        int begin = guide.indexOf("```yaml\n" + opening) + "```yaml\n".length();
        return guide.substring(begin, guide.indexOf("```", begin));
    }
}
