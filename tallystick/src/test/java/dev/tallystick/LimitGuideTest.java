package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.engine.graph.GraphYaml;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.Limit;
import dev.tallystick.workflow.Workflow;
import dev.tallystick.workflow.WorkflowType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of the guide to limits. */
class LimitGuideTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    record Charge(String customer, int amount) {}

    static final class ChargeWorkflow implements Workflow<Charge, String> {
        @Override
        public String run(Context ctx, Charge charge) {
            return ctx.step("charge", String.class, () -> "charged " + charge.amount());
        }
    }

    @Test
    void a_limit_is_part_of_how_a_workflow_is_registered() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register(WorkflowType.of("charge", ChargeWorkflow.class)
                    .limit(Limit.per(Charge::customer).concurrency(1).rate(100, Duration.ofMinutes(1))));
            tally.start();
            List<Request> charges = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                charges.add(Submit.key("k" + i).with(new Charge("customer-" + i % 2, i)));
            }

            for (Submitted<String> charge : tally.<String>submitAll("charge", charges)) {
                assertThat(charge.job().result(PATIENCE)).startsWith("charged ");
            }
        }
    }

    @Test
    void a_graph_has_its_limit_beside_its_name() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register(GraphYaml.read("charge.yaml", """
                    workflow: charge
                    limit: {key: input.customer, concurrency: 1, rate: 100, per: PT1M}
                    nodes:
                      received: {kind: trigger, next: pay}
                      pay: {kind: worker, input: input}
                    output: pay
                    """));
            tally.worker("pay", Charge.class, (work, charge) -> "charged " + charge.amount());
            tally.start();
            List<Request> charges = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                charges.add(Submit.key("k" + i).with(new Charge("customer-" + i % 2, i)));
            }

            for (Submitted<String> charge : tally.<String>submitAll("charge", charges)) {
                assertThat(charge.job().result(PATIENCE)).startsWith("charged ");
            }
            assertThatThrownBy(() -> tally.submit("charge", "no customer", Submit.key("none")))
                    .hasMessageContaining("the limit of workflow 'charge' has no key for this input");
        }
    }
}
