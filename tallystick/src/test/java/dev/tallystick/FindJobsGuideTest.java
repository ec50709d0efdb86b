package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.view.JobSummary;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Context;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Workflow;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The code of the guide to finding jobs. */
class FindJobsGuideTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    record Order(String customer, String item) {}

    static final class OrderWorkflow implements Workflow<Order, String> {
        @Override
        public String run(Context ctx, Order order) {
            String parcel = ctx.step("ship", String.class, () -> "parcel-7");
            ctx.attribute("parcel", parcel);
            return parcel;
        }
    }

    @Test
    void jobs_are_found_by_what_was_said_of_them() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();
            Order order = new Order("42", "apple");
            Instant yesterday = Clock.systemUTC().instant().minus(Duration.ofDays(1));

            JobHandle<String> job =
                    tally.submit("order", order, Submit.key("web-1").attribute("customer", order.customer()));
            assertThat(job.result(PATIENCE)).isEqualTo("parcel-7");

            List<JobSummary> page = tally.jobs()
                    .workflow("order")
                    .where("customer", "42")
                    .ended(JobOutcome.COMPLETED)
                    .since(yesterday)
                    .limit(50)
                    .list();
            List<JobSummary> next = tally.jobs()
                    .where("customer", "42")
                    .after(page.getLast().id())
                    .list();

            assertThat(page).singleElement().satisfies(found -> {
                assertThat(found.id()).isEqualTo(job.id());
                assertThat(found.attributes()).containsEntry("parcel", "parcel-7");
            });
            assertThat(next).isEmpty();
            assertThat(tally.jobs().open().list()).isEmpty();
        }
    }

    @Test
    void a_job_may_wait_for_a_time_of_day() {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register("order", OrderWorkflow.class);
            tally.start();

            JobHandle<String> job = tally.submit(
                    "order",
                    new Order("42", "pear"),
                    Submit.unkeyed().notBefore(Instant.parse("2999-01-01T00:00:00Z")));

            assertThat(job.why().text()).containsPattern("not before (2999-01-01T00:00:0|2998-12-31T23:59:5)");
        }
    }
}
