package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Ask;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.TaskOutcome;
import dev.tallystick.workflow.Workflow;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of the guide to tasks. */
class TaskGuideTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    record Expense(String what, int amount) {}

    record Decision(boolean approved, String reason) {}

    static final class ExpenseWorkflow implements Workflow<Expense, String> {
        @Override
        public String run(Context ctx, Expense expense) {
            Decision decision = ctx.task(
                    "approve",
                    Decision.class,
                    Ask.group("finance").about(expense).escalate(Duration.ofHours(8), "directors"));
            return decision.approved() ? "paid" : "refused: " + decision.reason();
        }
    }

    @Test
    void people_find_claim_and_answer_what_a_workflow_asks() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("expense", ExpenseWorkflow.class);
            tally.start();
            JobHandle<String> job = tally.submit("expense", new Expense("a chair", 400), Submit.key("e-1"));
            Eventually.holds(
                    "finance is asked", () -> !tally.tasks().ofGroup("finance").isEmpty());

            Tasks tasks = tally.tasks();
            Task task = tasks.ofGroup("finance").getFirst();
            Expense expense = task.details(Expense.class);
            tasks.claim(task.id(), "ada");
            TaskOutcome outcome = tasks.resolve(task.id(), "ada", new Decision(false, "a stool will do"), "form-17");

            assertThat(expense.what()).isEqualTo("a chair");
            assertThat(outcome).isEqualTo(new TaskOutcome.Done(false));
            assertThat(job.result(PATIENCE)).isEqualTo("refused: a stool will do");
            assertThat(tasks.heldBy("ada")).isEmpty();
        }
    }

    @Test
    void a_workflow_may_lose_its_patience() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("ask", String.class, String.class, (ctx, input) -> {
                Optional<Decision> decision =
                        ctx.task("approve", Decision.class, Ask.person("ada"), Duration.ofMillis(20));
                return decision.map(Decision::reason).orElse("no one said no");
            });
            tally.start();

            assertThat(tally.submit("ask", "", Submit.unkeyed()).result(PATIENCE))
                    .isEqualTo("no one said no");
        }
    }
}
