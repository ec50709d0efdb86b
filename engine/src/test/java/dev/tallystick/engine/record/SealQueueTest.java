package dev.tallystick.engine.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.upkeep.JobRetention;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Also;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.JobOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is to be sealed is queued by the very statement that makes it true. */
class SealQueueTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private Workbench workbench;
    private Engine engine;

    @BeforeEach
    void open() {
        workbench = Workbench.withOldIds(postgres.dataSource());
        workbench.workflow("one", (ctx, input) -> ctx.step("one", String.class, () -> "done"));
        workbench.workflow("waiting", (ctx, input) -> ctx.await("never", String.class));
        workbench.workflow("parent", (ctx, input) -> ctx.child("one", input, String.class));
        workbench.workflow("again", (ctx, input) -> input.equals("last") ? "done" : ctx.continueAsNew("last"));
        engine = workbench.start();
    }

    @AfterEach
    void close() {
        workbench.close();
    }

    /** One queued fact. */
    private record Fact(
            String what,
            UUID job,
            @Nullable String key,
            @Nullable String member) {}

    private List<Fact> facts() {
        return workbench
                .database()
                .transact(
                        "read the queue",
                        tx -> tx.query(
                                """
                select what, job, key, member
                from (
                    select q.id, 1 as part, 'accepted' as what, a.job, a.key, a.member
                    from tally.seal_queue q
                    cross join lateral unnest(q.accepted, q.keys, q.members) as a (job, key, member)
                    union all
                    select q.id, 2, 'closed', c.job, null, null
                    from tally.seal_queue q
                    cross join lateral unnest(q.closed) as c (job)
                ) f
                order by id, part
                """,
                                row -> new Fact(
                                        row.getString("what"),
                                        row.getObject("job", UUID.class),
                                        row.getString("key"),
                                        row.getString("member"))));
    }

    private void seal() {
        workbench
                .database()
                .transact(
                        "switch on",
                        tx -> tx.update("insert into tally.seal_log (origin) values ('test.example/log')"));
    }

    private static Fact accepted(JobId job, String key) {
        return new Fact("accepted", job.value(), key, "library");
    }

    private static Fact closed(JobId job) {
        return new Fact("closed", job.value(), null, null);
    }

    @Test
    void nothing_is_queued_while_nothing_is_sealed() {
        workbench.await(engine, workbench.submit(engine, "one", "key"));

        assertThat(workbench.count("seal_queue")).isZero();
    }

    @Test
    void a_job_is_queued_when_it_is_accepted_and_when_it_closes_with_its_key() {
        seal();
        JobId job = workbench.submit(engine, "one", "key");
        workbench.await(engine, job);
        workbench.submit(engine, "one", "key");

        assertThat(facts()).containsExactly(accepted(job, "key"), closed(job));
    }

    @Test
    void jobs_that_share_a_commit_share_a_row() {
        seal();
        List<CompletableFuture<Accepted>> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            answers.add(engine.submit(workbench.submission("one", "key" + i, "input")));
        }
        List<JobId> jobs = answers.stream()
                .map(answer -> ((Accepted.Fresh) answer.join()).job())
                .toList();
        jobs.forEach(job -> workbench.await(engine, job));

        assertThat(facts()).hasSize(400).doesNotHaveDuplicates();
        assertThat(workbench.count("seal_queue")).isLessThan(400);
    }

    @Test
    void a_cancelled_job_is_queued_as_closed() {
        seal();
        JobId job = workbench.submit(engine, "waiting", "key");
        engine.cancel("default", job);
        assertThat(workbench.await(engine, job).outcome()).isEqualTo(JobOutcome.CANCELLED);

        assertThat(facts()).containsExactly(accepted(job, "key"), closed(job));
    }

    @Test
    void a_rerun_and_a_fork_are_queued_with_the_keys_they_were_asked_for_under() {
        JobId first = workbench.submit(engine, "one", "key");
        workbench.await(engine, first);
        seal();
        JobId rerun = ((Accepted.Fresh) engine.reruns().rerun(first, ScopedKey.of("rerun"), Also.NOTHING)).job();
        workbench.await(engine, rerun);
        JobId fork = ((Accepted.Fresh) engine.reruns().fork(first, "one", ScopedKey.of("fork"), Also.NOTHING)).job();
        workbench.await(engine, fork);

        assertThat(facts())
                .containsExactly(accepted(rerun, "rerun"), closed(rerun), accepted(fork, "fork"), closed(fork));
    }

    @Test
    void parents_come_before_children_and_a_job_before_its_continuation() {
        seal();
        JobId parent = workbench.submit(engine, "parent", "parent");
        workbench.await(engine, parent);
        JobId again = workbench.submit(engine, "again", "again");
        workbench.await(engine, again);

        List<Fact> facts = facts();
        assertThat(facts).hasSize(8);
        assertThat(facts.indexOf(accepted(parent, "parent"))).isZero();
        assertThat(facts.indexOf(closed(parent))).isEqualTo(3);
        assertThat(facts.indexOf(accepted(again, "again"))).isEqualTo(4);
    }

    @Test
    void a_transaction_that_is_rolled_back_queues_nothing() throws Exception {
        seal();
        try (Connection connection = postgres.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            engine.submitIn(connection, workbench.submission("one", "key", "input"));
            connection.rollback();
        }

        assertThat(workbench.count("seal_queue")).isZero();
    }

    @Test
    void retention_keeps_what_is_not_sealed_yet() {
        JobId before = workbench.submit(engine, "one", "before");
        workbench.await(engine, before);
        seal();
        JobId job = workbench.submit(engine, "one", "key");
        workbench.await(engine, job);
        workbench
                .database()
                .transact("age", tx -> tx.update("update tally.job set closed_at = closed_at - interval '31 days'"));

        assertThat(sweep()).isEqualTo(1);
        workbench.database().transact("seal", tx -> tx.update("delete from tally.seal_queue"));
        assertThat(sweep()).isEqualTo(1);
    }

    private int sweep() {
        return new JobRetention(workbench.database(), KeyRetention.DEFAULT, Duration.ofDays(30)).sweep();
    }
}
