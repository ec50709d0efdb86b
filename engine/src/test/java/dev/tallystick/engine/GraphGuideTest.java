package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Closed;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JsonCodec;
import dev.tallystick.workflow.Person;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.TaskView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs the example of the guide to graphs as it stands there. */
class GraphGuideTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private GraphBench bench;

    @BeforeEach
    void open() throws IOException {
        bench = new GraphBench(postgres.dataSource());
        bench.graph(GraphYaml.read("order.yaml", example("workflow: order")))
                .worker("reserve-stock", (work, input) -> Map.of("shelf", "A7"))
                .worker("charge-card", (work, input) -> Map.of("receipt", "r-1", "amount", field(input, "amount")))
                .worker("note-approval", (work, input) -> input)
                .worker("hand-to-carrier", (work, input) -> Map.of("parcel", "p-" + field(input, "shelf")))
                .worker("track-parcel", (work, input) -> {
                    int looked = ((Number) field(input, "looked")).intValue();
                    return Map.of("arrived", looked == 2, "looked", looked);
                });
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void a_small_order_is_shipped_and_tracked_until_it_arrives() {
        Engine engine = bench.start();

        Closed closed = bench.run(engine, "order", Map.of("sku", "x", "pieces", 2, "price", 10, "card", "c"));

        assertThat(bench.result(closed)).isEqualTo(Map.of("parcel", "p-A7", "receipt", "r-1", "looked", 2));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_large_order_waits_for_its_approval() {
        Engine engine = bench.start();
        JobId job = bench.submit(engine, "order", Map.of("sku", "x", "pieces", 200, "price", 10, "card", "c"));

        bench.signal(engine, job, "approve", "k1", Map.of("by", "the owner"));

        assertThat(bench.result(bench.workbench().await(engine, job)))
                .isEqualTo(Map.of("parcel", "p-A7", "receipt", "r-1", "looked", 2));
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void a_large_order_asks_people_as_the_guide_draws_it() throws IOException {
        String order = example("workflow: order");
        String approval = order.substring(order.indexOf("  approval:"), order.indexOf("  approved:"));
        String asking = order.replace("workflow: order", "workflow: asking")
                .replace(approval, example("  approval:\n    kind: hook\n    task:"));
        bench.graph(GraphYaml.read("asking.yaml", asking));
        Engine engine = bench.start();
        JobId job =
                bench.submit(engine, "asking", Map.of("id", 7, "sku", "x", "pieces", 200, "price", 10, "card", "c"));
        TaskDesk desk = engine.tasks();
        TaskView task = Eventually.value(
                        "finance is asked",
                        () -> desk.ofGroup("default", "finance", null, 10),
                        tasks -> !tasks.isEmpty())
                .getFirst();

        byte[] answer = new JsonCodec().encode(Map.of("approved", true));
        assertThat(desk.resolve("default", task.id(), Person.named("ada"), answer, "k"))
                .isEqualTo(new TaskOutcome.Done(false));

        assertThat(bench.result(bench.workbench().await(engine, job)))
                .isEqualTo(Map.of("parcel", "p-A7", "receipt", "r-1", "looked", 2));
        assertThat(bench.violations()).isEmpty();
    }

    private static Object field(@Nullable Object input, String name) {
        return Objects.requireNonNull(((Map<?, ?>) Objects.requireNonNull(input)).get(name));
    }

    /** The block of the guide that begins so. */
    private static String example(String opening) throws IOException {
        String guide = Files.readString(Path.of(System.getProperty("tally.root"), "docs/guides/graph-workflows.md"));
        int begin = guide.indexOf("```yaml\n" + opening) + "```yaml\n".length();
        return guide.substring(begin, guide.indexOf("```", begin));
    }
}
