package dev.tallystick.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.view.JobQuery;
import dev.tallystick.engine.view.JobSummary;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AttributeTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final JobQuery ALL = JobQuery.of(Scope.DEFAULT.mesh());

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    @BeforeEach
    void open() {
        workbench.workflow("echo", (ctx, input) -> input);
        workbench.workflow("waiting", (ctx, input) -> ctx.await("never", String.class));
        workbench.workflow("doomed", (ctx, input) -> {
            throw new IllegalStateException("no money");
        });
        workbench.workflow("telling", (ctx, input) -> {
            ctx.attribute("stage", "begun");
            String answer = ctx.await("go", String.class);
            ctx.attribute("stage", "done");
            return answer;
        });
    }

    @Test
    void jobs_are_found_by_what_they_were_submitted_with() {
        Engine engine = workbench.start();
        JobId ours = submit(engine, "echo", "k1", "customer", "42", "country", "de");
        submit(engine, "echo", "k2", "customer", "42", "country", "fr");
        submit(engine, "echo", "k3", "customer", "43", "country", "de");
        JobId other = submit(engine, "waiting", "k4", "customer", "42");
        workbench.await(engine, ours);

        assertThat(found(engine, ALL.with(customer("42")))).hasSize(3);
        assertThat(found(engine, ALL.with(customer("42")).with(new Attribute("country", "de"))))
                .containsExactly(ours);
        assertThat(found(engine, ALL.with(customer("42")).workflow("waiting"))).containsExactly(other);
        assertThat(found(engine, ALL.with(customer("42")).status(JobQuery.OPEN)))
                .contains(other);
        assertThat(found(engine, ALL.with(customer("44")))).isEmpty();
        assertThat(found(engine, JobQuery.of("other").with(customer("42")))).isEmpty();
        assertThat(engine.list(ALL.with(customer("42")).workflow("echo"))
                        .getLast()
                        .attributes())
                .isEqualTo(Map.of("customer", "42", "country", "de"));
    }

    @Test
    void a_job_says_what_it_can_be_found_by_and_changes_it() {
        Engine engine = workbench.start();
        JobId job = submit(engine, "telling", "k1", "stage", "submitted");
        Eventually.holds(
                "it has begun",
                () -> found(engine, ALL.with(new Attribute("stage", "begun"))).equals(List.of(job)));

        workbench.awaitParked();
        workbench.signal(engine, job, "go");
        workbench.await(engine, job);

        assertThat(found(engine, ALL.with(new Attribute("stage", "begun")))).isEmpty();
        assertThat(found(engine, ALL.with(new Attribute("stage", "done")))).containsExactly(job);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_submission_that_is_repeated_does_not_undo_what_its_job_has_said() {
        Engine engine = workbench.start();
        JobId job = submit(engine, "telling", "k1", "stage", "submitted");
        Eventually.holds(
                "it has begun",
                () -> found(engine, ALL.with(new Attribute("stage", "begun"))).equals(List.of(job)));

        assertThat(submit(engine, "telling", "k1", "stage", "submitted")).isEqualTo(job);

        assertThat(found(engine, ALL.with(new Attribute("stage", "begun")))).containsExactly(job);
    }

    @Test
    void a_submission_whose_reply_is_lost_has_its_attributes_once() {
        try (TcpProxy proxy = postgres.proxy()) {
            Engine engine = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            proxy.onCommit(CommitPolicy.nextMentioning("insert into tally.attribute", CommitFate.LOSE_REPLY));

            JobId job = submit(engine, "echo", "k1", "customer", "42");

            assertThat(proxy.commits(CommitFate.LOSE_REPLY)).isEqualTo(1);
            assertThat(found(engine, ALL.with(customer("42")))).containsExactly(job);
            workbench.kill(engine);
        }
    }

    @Test
    void jobs_are_found_by_how_they_stand() {
        Engine engine = workbench.start();
        JobId done = submit(engine, "echo", "k1");
        JobId waits = submit(engine, "waiting", "k2");
        JobId failed = submit(engine, "doomed", "k3");
        JobId cancelled = submit(engine, "waiting", "k4");
        engine.cancel("default", cancelled);
        Stream.of(done, failed, cancelled).forEach(job -> workbench.await(engine, job));

        assertThat(found(engine, ALL.status(JobQuery.OPEN))).containsExactly(waits);
        assertThat(found(engine, ALL.status(JobOutcome.COMPLETED.text()))).containsExactly(done);
        assertThat(found(engine, ALL.status(JobOutcome.CANCELLED.text()))).containsExactly(cancelled);
        assertThat(engine.list(ALL.status(JobOutcome.FAILED.text())))
                .singleElement()
                .satisfies(job -> {
                    assertThat(job.id()).isEqualTo(failed);
                    assertThat(job.error()).contains("no money");
                    assertThat(job.closedAt()).isPresent();
                });
        assertThat(found(engine, ALL)).containsExactly(cancelled, failed, waits, done);
    }

    @Test
    void pages_follow_one_another_without_a_gap_while_new_jobs_arrive() {
        Engine engine = workbench.start();
        List<JobId> submitted = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            submitted.add(submit(engine, "echo", "k" + i, "customer", "42"));
        }
        for (JobQuery query : List.of(ALL, ALL.with(customer("42")))) {
            List<JobId> read = new ArrayList<>();
            List<JobId> page = found(engine, query.limit(4));
            while (!page.isEmpty()) {
                read.addAll(page);
                submit(engine, "echo", "late" + query.attributes().size() + read.size(), "customer", "42");
                page = found(engine, query.limit(4).after(page.getLast()));
            }
            assertThat(read).containsAll(submitted).doesNotHaveDuplicates();
        }
    }

    @Test
    void jobs_are_found_by_when_they_were_submitted() {
        Engine engine = workbench.start();
        JobId job = submit(engine, "echo", "k1");
        Instant submitted = Instant.ofEpochMilli(job.value().getMostSignificantBits() >>> 16);

        assertThat(found(engine, ALL.since(submitted))).containsExactly(job);
        assertThat(found(engine, ALL.since(submitted.plusMillis(1)))).isEmpty();
        assertThat(found(engine, ALL.until(submitted))).isEmpty();
        assertThat(found(engine, ALL.until(submitted.plusMillis(1)))).containsExactly(job);
    }

    @Test
    void a_job_without_attributes_leaves_nothing_in_their_table() {
        Engine engine = workbench.start();
        workbench.run(engine, "echo");

        assertThat(workbench.count("attribute")).isZero();
    }

    @Test
    void an_attribute_value_is_found_by_its_index() {
        workbench.database().transact("fill", tx -> tx.update("""
                insert into tally.attribute (job_id, mesh, name, value)
                select gen_random_uuid(), 'default', 'customer', (n % 1000)::text from generate_series(1, 20000) n
                """));
        workbench.database().transact("analyze", tx -> tx.update("analyze tally.attribute"));

        List<String> plan = workbench.database().transact("explain", tx -> tx.query("""
                explain select job_id from tally.attribute
                where mesh = 'default' and name = 'customer' and value = '42' and job_id < gen_random_uuid()
                order by job_id desc limit 10
                """, row -> row.getString(1)));

        assertThat(String.join("\n", plan)).contains("attribute_value").doesNotContain("Sort");
    }

    @Test
    void names_and_values_have_limits() {
        assertThatThrownBy(() -> new Attribute("", "x")).hasMessageContaining("begins with a letter");
        assertThatThrownBy(() -> new Attribute("a b", "x")).hasMessageContaining("begins with a letter");
        assertThatThrownBy(() -> new Attribute("a", "x".repeat(401))).hasMessageContaining("at most 400");
        assertThatThrownBy(() -> ALL.limit(0)).hasMessageContaining("1 to 1000");
    }

    private static Attribute customer(String id) {
        return new Attribute("customer", id);
    }

    private static List<JobId> found(Engine engine, JobQuery query) {
        return engine.list(query).stream().map(JobSummary::id).toList();
    }

    private JobId submit(Engine engine, String workflow, String key, String... namesAndValues) {
        List<Attribute> attributes = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            attributes.add(new Attribute(namesAndValues[i], namesAndValues[i + 1]));
        }
        Submission submission = workbench.submission(workflow, key, "input").attributes(attributes);
        return switch (engine.submit(submission).join()) {
            case Accepted.Fresh fresh -> fresh.job();
            case Accepted.Duplicate duplicate -> duplicate.job();
            case Accepted.Reused reused -> throw new AssertionError(reused);
        };
    }
}
