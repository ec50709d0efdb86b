package dev.tallystick.engine.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What graphs do with hooks, joins and cycles, done by code. */
class CodeScheduleTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private final AtomicInteger effects = new AtomicInteger();

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @Test
    void a_branch_takes_two_signals_while_its_sibling_runs() {
        Signal bothCame = new Signal("both signals");
        workbench.workflow(
                "votes",
                (ctx, input) -> String.join(
                        " ",
                        ctx.all(
                                String.class,
                                List.of(
                                        votes -> {
                                            String first = votes.await("vote", String.class);
                                            String second = votes.await("vote", String.class);
                                            bothCame.fire();
                                            return first + second;
                                        },
                                        sibling -> sibling.step("sibling", String.class, () -> {
                                            effects.incrementAndGet();
                                            bothCame.await();
                                            return "sibling";
                                        })))));
        Engine engine = workbench.start();
        JobId job = workbench.submit(engine, "votes", "key");

        vote(engine, job, "a", "yes");
        vote(engine, job, "b", "no");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("yesno sibling");
        assertThat(effects).hasValue(1);
        assertThat(workbench.violations()).isEmpty();
    }

    private static void vote(Engine engine, JobId job, String key, String vote) {
        engine.signal("default", job, "vote", key, ("\"" + vote + "\"").getBytes(StandardCharsets.UTF_8))
                .join();
    }

    @Test
    void nested_loops_have_a_place_for_every_round() {
        workbench.workflow("nested", (ctx, input) -> {
            int sum = 0;
            for (int outer = 0; outer < 3; outer++) {
                for (int inner = 0; inner < 4; inner++) {
                    sum += ctx.step("step", Integer.class, effects::incrementAndGet);
                }
                ctx.sleep(Duration.ofMillis(5));
            }
            return "" + sum;
        });
        Engine engine = workbench.start();

        JobId job = workbench.submit(engine, "nested", "key");

        assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("78");
        assertThat(effects).hasValue(12);
        assertThat(workbench.places(job)).hasSize(1 + 15).doesNotHaveDuplicates();
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_join_whose_branches_finish_at_once_goes_on_once() {
        workbench.workflow("join", (ctx, input) -> {
            ctx.all(
                    String.class,
                    List.of(
                            left -> {
                                left.sleep(Duration.ofMillis(30));
                                return "";
                            },
                            right -> {
                                right.sleep(Duration.ofMillis(30));
                                return "";
                            }));
            return "" + ctx.step("joined", Integer.class, effects::incrementAndGet);
        });
        Engine engine = workbench.start();
        workbench.start();

        for (int i = 1; i <= 10; i++) {
            JobId job = workbench.submit(engine, "join", "key-" + i);
            assertThat(workbench.result(workbench.await(engine, job))).isEqualTo("" + i);
        }
        Eventually.value("nothing is left", workbench::violations, List::isEmpty);
    }
}
