package dev.tallystick.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Priority;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.testkit.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A body gets the same answers in its first run as in every replay. */
class ReplayTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final List<Order> ORDERS = List.of(new Order("A-1", 3), new Order("A-2", 5));

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    record Order(String id, int pieces) {}

    @Test
    void the_first_run_hands_out_what_a_replay_hands_out() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        workbench.workflow("typed", (ctx, input) -> {
            List<?> step = ctx.step("step", List.class, () -> ORDERS);
            List<?> transaction = ctx.transaction("transaction", List.class, connection -> ORDERS);
            List<?> all = ctx.all(List.class, List.of(branch -> ORDERS)).getFirst();
            List<?> any = ctx.any(List.class, List.of(branch -> ORDERS));
            seen.add(String.join(" ", kind(step), kind(transaction), kind(all), kind(any)));
            return ctx.await("go", String.class);
        });
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "typed", "key");
        workbench.awaitParked();
        workbench.signal(engine, job, "go");
        workbench.await(engine, job);

        assertThat(seen).hasSize(2);
        assertThat(seen.getFirst()).isEqualTo(seen.getLast());
    }

    @Test
    void a_generic_type_reads_the_same_objects_in_the_first_run_and_in_a_replay() {
        GenericType<List<Order>> orders = new GenericType<>() {};
        List<List<Order>> seen = Collections.synchronizedList(new ArrayList<>());
        JsonCodec codec = new JsonCodec();
        Engine engine = workbench.start(
                workbench.database(),
                Workbench.SETTINGS,
                CrashPoints.NONE,
                List.of(
                        WorkflowType.of("child", orders, orders, (ctx, input) -> input),
                        WorkflowType.of("typed", orders, orders, (ctx, input) -> {
                            seen.add(ctx.step("step", orders, () -> input));
                            seen.add(ctx.transaction("transaction", orders, connection -> input));
                            seen.add(ctx.all(orders, List.of(branch -> input)).getFirst());
                            seen.add(ctx.any(orders, List.of(branch -> input)));
                            seen.add(ctx.child("child", input, orders));
                            seen.add(ctx.await("orders", orders));
                            return seen.getLast();
                        })));
        Submission submission = new Submission(
                "default",
                "typed",
                codec.encode(ORDERS),
                ScopedKey.of("key"),
                Fingerprint.of("typed"),
                Priority.DEFAULT,
                Duration.ZERO);
        JobId job = workbench.submit(engine, submission);
        workbench.awaitParked();
        engine.signal("default", job, "orders", "key", codec.encode(ORDERS)).join();

        assertThat(workbench.await(engine, job).error()).isNull();
        assertThat(seen).hasSizeGreaterThan(6).allMatch(ORDERS::equals);
    }

    @Test
    void a_result_that_cannot_be_read_back_fails_the_job_at_once_and_the_work_is_done_once() {
        AtomicInteger effects = new AtomicInteger();
        workbench.workflow("unreadable", (ctx, input) -> {
            ctx.step("handle", OneWay.class, () -> new OneWay(effects.incrementAndGet()));
            return "never";
        });
        Engine engine = workbench.start();

        Closed closed = workbench.await(engine, workbench.submit(engine, "unreadable", "key"));

        assertThat(closed.error()).contains("'handle'", "cannot be read as", "OneWay");
        assertThat(effects).hasValue(1);
    }

    @Test
    void a_type_that_is_not_known_at_run_time_is_refused() {
        assertThatThrownBy(ReplayTest::<Order>listOf)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spell it out");
    }

    private static <T> GenericType<List<T>> listOf() {
        return new GenericType<>() {};
    }

    /** Can be written as JSON and not be read. */
    static final class OneWay {

        private final int number;

        private OneWay(int number) {
            this.number = number;
        }

        @SuppressWarnings("unused") // by what writes it
        public int number() {
            return number;
        }
    }

    private static String kind(List<?> list) {
        return list.getFirst().getClass().getSimpleName();
    }
}
