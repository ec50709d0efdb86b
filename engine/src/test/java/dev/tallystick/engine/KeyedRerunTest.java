package dev.tallystick.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.CrashPoint;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.keys.Scope;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.SqlCrashPoint;
import dev.tallystick.sql.UnknownOutcomeException;
import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.CommitPolicy;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.Accepted;
import dev.tallystick.workflow.JobId;
import dev.tallystick.workflow.UnknownJobException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I2 for reruns: one key, one new job, even if the reply or the caller is lost. */
class KeyedRerunTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final ScopedKey KEY = ScopedKey.of("again");

    @RegisterExtension
    final Workbench workbench = new Workbench(postgres.dataSource());

    private Engine engine;
    private JobId job;

    @BeforeEach
    void open() {
        workbench.workflow("order", (ctx, input) -> {
            String reserved = ctx.step("reserve", String.class, () -> "reserved");
            return ctx.step("charge", String.class, () -> reserved + ", charged");
        });
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        engine = workbench.start();
        job = workbench.submit(engine, "order", "first");
        workbench.await(engine, job);
    }

    private static JobId fresh(Accepted accepted) {
        assertThat(accepted).isInstanceOf(Accepted.Fresh.class);
        return ((Accepted.Fresh) accepted).job();
    }

    @Test
    void the_same_key_is_the_same_new_job() {
        JobId rerun = fresh(engine.reruns().rerun(job, KEY, Also.NOTHING));
        JobId fork = fresh(engine.reruns().fork(job, "charge", ScopedKey.of("from charge"), Also.NOTHING));

        assertThat(engine.reruns().rerun(job, KEY, Also.NOTHING)).isEqualTo(new Accepted.Duplicate(rerun));
        assertThat(engine.reruns().fork(job, "charge", ScopedKey.of("from charge"), Also.NOTHING))
                .isEqualTo(new Accepted.Duplicate(fork));
        assertThat(workbench.result(workbench.await(engine, rerun))).isEqualTo("reserved, charged");
        assertThat(workbench.result(workbench.await(engine, fork))).isEqualTo("reserved, charged");
        assertThat(workbench.count("job")).isEqualTo(3);
        assertThat(workbench.violations()).isEmpty();
    }

    @Test
    void a_key_that_stands_for_something_else_is_refused() {
        JobId rerun = fresh(engine.reruns().rerun(job, KEY, Also.NOTHING));
        workbench.await(engine, rerun);

        assertThat(engine.reruns().rerun(rerun, KEY, Also.NOTHING)).isInstanceOf(Accepted.Reused.class);
        assertThat(engine.reruns().fork(job, "charge", KEY, Also.NOTHING)).isInstanceOf(Accepted.Reused.class);
        assertThat(engine.reruns().rerun(job, ScopedKey.of("first"), Also.NOTHING))
                .isInstanceOf(Accepted.Reused.class);
        assertThat(workbench.count("job")).isEqualTo(2);
    }

    @Test
    void a_refusal_leaves_the_key_free() {
        JobId open = workbench.submit(engine, "waiting", "open");

        assertThatThrownBy(() -> engine.reruns().rerun(open, KEY, Also.NOTHING)).hasMessageContaining("is open");
        assertThatThrownBy(() -> engine.reruns().fork(job, "nowhere", KEY, Also.NOTHING))
                .hasMessageContaining("has no step");

        fresh(engine.reruns().rerun(job, KEY, Also.NOTHING));
    }

    @Test
    void a_job_of_another_mesh_is_no_job() {
        ScopedKey stranger = new ScopedKey(new Scope("elsewhere", "library"), new IdempotencyKey("again"));

        assertThatThrownBy(() -> engine.reruns().rerun(job, stranger, Also.NOTHING))
                .isInstanceOf(UnknownJobException.class);
        assertThatThrownBy(() -> engine.reruns().fork(job, "charge", stranger, Also.NOTHING))
                .isInstanceOf(UnknownJobException.class);
    }

    @Test
    void a_repeat_is_answered_also_when_the_old_job_is_gone() {
        JobId rerun = fresh(engine.reruns().rerun(job, KEY, Also.NOTHING));
        Database.on(postgres.dataSource())
                .transact("drop job", tx -> tx.update("delete from tally.job where id = ?", job.value()));

        assertThat(engine.reruns().rerun(job, KEY, Also.NOTHING)).isEqualTo(new Accepted.Duplicate(rerun));
        assertThatThrownBy(() -> engine.reruns().rerun(job, ScopedKey.of("new"), Also.NOTHING))
                .isInstanceOf(UnknownJobException.class);
    }

    @Test
    void of_many_at_once_one_makes_the_job() throws Exception {
        int callers = 8;
        CountDownLatch ready = new CountDownLatch(callers);
        List<Future<Accepted>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
            for (int i = 0; i < callers; i++) {
                answers.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    return engine.reruns().rerun(job, KEY, Also.NOTHING);
                }));
            }
        }
        int made = 0;
        for (Future<Accepted> answer : answers) {
            made += answer.get() instanceof Accepted.Fresh ? 1 : 0;
        }

        assertThat(made).isEqualTo(1);
        assertThat(workbench.count("job")).isEqualTo(2);
    }

    @Test
    void a_lost_reply_makes_no_second_job() {
        try (TcpProxy proxy = postgres.proxy()) {
            Engine far = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            proxy.onCommit(CommitPolicy.nextMentioning("tally.key", CommitFate.LOSE_REPLY));

            JobId rerun = fresh(far.reruns().rerun(job, KEY, Also.NOTHING));

            assertThat(proxy.commits(CommitFate.LOSE_REPLY)).isEqualTo(1);
            assertThat(engine.reruns().rerun(job, KEY, Also.NOTHING)).isEqualTo(new Accepted.Duplicate(rerun));
            assertThat(workbench.count("job")).isEqualTo(2);
            workbench.kill(far);
        }
    }

    @Test
    void a_lost_reply_of_a_database_that_stays_away_is_no_failure() {
        try (TcpProxy proxy = postgres.proxy()) {
            Engine far = workbench.start(Database.on(postgres.proxied(proxy)), Workbench.SETTINGS, CrashPoints.NONE);
            proxy.onCommit(commit -> {
                if (commit.mentions("tally.key")) {
                    proxy.refuse();
                    return CommitFate.LOSE_REPLY;
                }
                return CommitFate.FORWARD;
            });

            assertThatThrownBy(() -> far.reruns().rerun(job, KEY, Also.NOTHING))
                    .isInstanceOf(UnknownOutcomeException.class);

            assertThat(engine.reruns().rerun(job, KEY, Also.NOTHING)).isInstanceOf(Accepted.Duplicate.class);
            workbench.kill(far);
        }
    }

    /** The process of the caller. */
    private static final class AskerDied extends Error {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @EnumSource(
            value = SqlCrashPoint.class,
            names = {"BEFORE_COMMIT", "AFTER_COMMIT"})
    void a_request_whose_server_died_is_repeated_for_one_job(CrashPoint point) {
        Thread asker = Thread.currentThread();
        AtomicBoolean armed = new AtomicBoolean();
        CrashPoints crash = reached -> {
            if (reached.equals(point) && Thread.currentThread().equals(asker) && armed.getAndSet(false)) {
                throw new AskerDied();
            }
        };
        Engine dying = workbench.start(
                Database.on(postgres.dataSource(), RandomGenerator.getDefault(), crash),
                Workbench.SETTINGS,
                CrashPoints.NONE);
        armed.set(true);
        assertThatThrownBy(() -> dying.reruns().fork(job, "charge", KEY, Also.NOTHING))
                .isInstanceOf(AskerDied.class);

        JobId forked = switch (engine.reruns().fork(job, "charge", KEY, Also.NOTHING)) {
            case Accepted.Fresh fresh -> fresh.job();
            case Accepted.Duplicate duplicate -> duplicate.job();
            case Accepted.Reused reused -> throw new AssertionError(reused);
        };

        workbench.await(engine, forked);
        assertThat(workbench.count("job")).isEqualTo(2);
        assertThat(workbench.violations()).isEmpty();
    }
}
