package dev.tallystick.engine.model;

import static dev.tallystick.engine.graph.run.GraphDesk.output;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.GraphBench;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.graph.Graph;
import dev.tallystick.engine.graph.run.GraphDesk;
import dev.tallystick.engine.graph.run.NodeEvent;
import dev.tallystick.engine.graph.run.NodeReport;
import dev.tallystick.engine.graph.run.NodeReportResult;
import dev.tallystick.engine.record.JobStore;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The rules of the ledgers, on graphs whose steps the test brings itself. */
class GraphRulesTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final Graph FORK = Graph.named("fork")
            .trigger("start")
            .worker("left", "1")
            .worker("right", "1")
            .worker("joined", "left & right")
            .join("joined")
            .from("start", "left", "right")
            .from("left", "joined")
            .from("right", "joined")
            .output("joined")
            .build();

    private static final Graph LOOP = Graph.named("loop")
            .trigger("start")
            .hook("round")
            .worker("step", "round.round")
            .cycle("again", "round")
            .from("start", "round")
            .from("round", "step")
            .when("step", "step = 'again'", "again")
            .output("step")
            .build();

    private GraphBench bench;

    @BeforeEach
    void open() {
        bench = new GraphBench(postgres.dataSource());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private int semaphore(JobId job) {
        return bench.workbench()
                .database()
                .transact("semaphore", tx -> new JobStore().read(tx, job))
                .orElseThrow()
                .semaphore();
    }

    private Optional<JobOutcome> outcome(JobId job) {
        return bench.workbench()
                .database()
                .transact("outcome", tx -> new JobStore().read(tx, job))
                .orElseThrow()
                .outcome();
    }

    @Test
    void r15_two_branches_that_finish_in_one_batch_each_count_and_are_joined_once() {
        JobId job = bench.accepted(FORK);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), FORK);
        desk.trigger(job, "start");
        assertThat(semaphore(job)).isEqualTo(2);

        List<NodeReport> both = desk.lease("me").stream()
                .map(lease -> new NodeReport(lease, output(lease.activity().name()), null))
                .toList();
        assertThat(both).hasSize(2);
        assertThat(desk.bring(both)).allMatch(NodeReportResult.Done.class::isInstance);

        assertThat(semaphore(job)).isEqualTo(1);
        List<Lease> joined = desk.lease("me");
        assertThat(joined).hasSize(1);
        desk.bring(joined.getFirst(), output("end"));
        assertThat(outcome(job)).contains(JobOutcome.COMPLETED);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r15_a_job_returns_what_another_branch_has_brought_in_the_batch_that_closes_it() {
        Graph graph = Graph.named("last")
                .trigger("start")
                .hook("round")
                .worker("step", "round.round")
                .cycle("again", "round")
                .worker("beside", "1")
                .from("start", "round", "beside")
                .from("round", "step")
                .when("step", "step = 'again'", "again")
                .output("step & ' ' & beside")
                .build();
        JobId job = bench.accepted(graph);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), graph);
        desk.trigger(job, "start");
        List<NodeReport> both = desk.lease("me").stream()
                .sorted(Comparator.comparingInt(lease -> lease.activity().path().length()))
                .map(lease -> new NodeReport(lease, output(lease.activity().name()), null))
                .toList();

        desk.bring(both.reversed());

        JobView closed = bench.workbench()
                .database()
                .transact("job", tx -> new JobStore().read(tx, job))
                .orElseThrow();
        assertThat(closed.output()).asString(StandardCharsets.UTF_8).isEqualTo("\"step beside\"");
    }

    @Test
    void r7_an_arrival_at_a_join_takes_the_place_of_the_branch_that_brought_it() {
        JobId job = bench.accepted(FORK);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), FORK);
        desk.trigger(job, "start");
        List<Lease> branches = desk.lease("me");

        desk.bring(branches.getFirst(), output("first"));

        assertThat(semaphore(job)).isEqualTo(2);
        assertThat(bench.ledgers(job)).containsEntry("|joined", "001000000000000");
        desk.bring(branches.getLast(), output("second"));
        assertThat(semaphore(job)).isEqualTo(1);
        assertThat(bench.ledgers(job)).containsEntry("|joined", "001100000000000");
    }

    @Test
    void r6_a_result_that_is_brought_again_gets_its_first_answer_and_does_nothing() {
        JobId job = bench.accepted(LOOP);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), LOOP);
        desk.trigger(job, "start");
        Lease step = desk.lease("me", "step");

        assertThat(desk.bring(step, output("again"))).isInstanceOf(NodeReportResult.Done.class);
        Map<String, String> ledgers = bench.ledgers(job);
        assertThat(desk.bring(step, output("again"))).isInstanceOf(NodeReportResult.Done.class);

        assertThat(bench.ledgers(job)).isEqualTo(ledgers);
        assertThat(semaphore(job)).isEqualTo(1);
        assertThat(bench.workbench().count("posting")).isEqualTo(1);
    }

    @Test
    void r6_a_worker_that_lost_its_lease_cannot_overwrite() {
        JobId job = bench.accepted(LOOP);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), LOOP);
        desk.trigger(job, "start");
        Lease slow = desk.lease("slow", "step");
        desk.expire();
        Lease quick = desk.lease("quick", "step");

        assertThat(desk.bring(slow, output("slow"))).isInstanceOf(NodeReportResult.LeaseLost.class);
        assertThat(desk.bring(quick, output("quick"))).isInstanceOf(NodeReportResult.Done.class);
        assertThat(desk.bring(slow, output("slow"))).isInstanceOf(NodeReportResult.LeaseLost.class);

        assertThat(bench.workbench()
                        .database()
                        .transact("read", tx -> new JobStore().read(tx, job))
                        .orElseThrow()
                        .output())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("\"quick\"");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r2_a_transition_that_was_entered_and_worked_spawns_in_the_dimension_of_its_first_entry() {
        JobId job = bench.accepted(LOOP);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), LOOP);
        // The trigger's Leg 2 is not begun; the hook's second entry is simulated by a GUID row that stopped after step
        // 1.
        desk.trigger(job, "start");
        Lease step = desk.lease("me", "step");
        ActivityId again = new ActivityId(job, "round:0", "again");
        bench.workbench().database().transact("entered before", tx -> {
            tx.update(
                    "insert into tally.guid (job_id, guid, path, name, ordinal, ledger) values (?, ?, '', 'round', 7, 10000000001)",
                    job.value(),
                    Guid.of(again, 1).value());
            return tx.update(
                    "update tally.activity set ledger = ledger + 7 where job_id = ? and name = 'round'", job.value());
        });

        desk.bring(step, output("again"));

        assertThat(desk.posting(job, "step").activity().path()).isEqualTo("round:7");
        assertThat(bench.workbench().guids(job)).contains(" round 000011000000002 #7");
    }

    @Test
    void r9_a_result_that_comes_after_the_job_has_failed_is_recorded_and_changes_nothing() {
        JobId job = bench.accepted(FORK);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), FORK);
        desk.trigger(job, "start");
        List<Lease> branches = desk.lease("me");

        desk.bring(branches.getFirst(), new NodeEvent.Failure("no money"));
        assertThat(outcome(job)).contains(JobOutcome.FAILED);
        assertThat(desk.bring(branches.getLast(), output("late"))).isInstanceOf(NodeReportResult.JobClosed.class);

        assertThat(semaphore(job)).isZero();
        assertThat(bench.ledgers(job)).doesNotContainKey("|joined");
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r9_a_failure_and_a_result_of_one_job_in_one_batch_end_it_once() {
        JobId job = bench.accepted(FORK);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), FORK);
        desk.trigger(job, "start");
        List<Lease> branches = desk.lease("me");

        desk.bring(List.of(
                new NodeReport(branches.getFirst(), new NodeEvent.Failure("no money"), null),
                new NodeReport(branches.getLast(), output("fine"), null)));

        assertThat(outcome(job)).contains(JobOutcome.FAILED);
        assertThat(bench.violations()).isEmpty();
    }

    @Test
    void r13_a_ledger_that_can_count_no_more_ends_its_job_with_an_escalation() {
        JobId job = bench.accepted(LOOP);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), LOOP);
        desk.trigger(job, "start");
        Lease step = desk.lease("me", "step");
        bench.workbench()
                .database()
                .transact(
                        "fill",
                        tx -> tx.update(
                                "update tally.activity set ledger = ledger + 99999998 where job_id = ? and name = 'round'",
                                job.value()));

        desk.bring(step, output("again"));

        assertThat(outcome(job)).contains(JobOutcome.FAILED);
        assertThat(bench.workbench()
                        .database()
                        .transact("read", tx -> new JobStore().read(tx, job))
                        .orElseThrow()
                        .error())
                .contains("escalation", "round", "99999999");
        assertThat(bench.ledgers(job)).containsEntry("|round", "001111099999999");
        assertThat(bench.workbench().violations()).isEmpty();
    }

    @Test
    void r5_attempts_are_counted_on_the_posting_and_nowhere_else() {
        JobId job = bench.accepted(LOOP);
        GraphDesk desk = new GraphDesk(bench.workbench().database(), LOOP);
        desk.trigger(job, "start");

        for (int attempt = 1; attempt <= 3; attempt++) {
            Lease lease = desk.lease("me", "step");
            assertThat(desk.bring(lease, new NodeEvent.Again(Duration.ZERO, Fault.of("not yet"))))
                    .isInstanceOf(NodeReportResult.Done.class);
        }

        assertThat(bench.ledgers(job)).containsEntry("round:0|step", "001100000000000");
        int attempts = bench.workbench()
                .database()
                .transact(
                        "attempts", tx -> tx.first("select attempts from tally.posting", row -> row.getInt("attempts")))
                .orElseThrow();
        assertThat(attempts).isEqualTo(3);
    }
}
