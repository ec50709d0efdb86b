package dev.tallystick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.tallystick.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a process with the library in it takes, and how long it lives. */
class ProcessTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @Test
    void a_pool_that_is_too_small_is_refused_with_what_to_set() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(postgres.unpooled());
        config.setMaximumPoolSize(2);
        config.setConnectionTimeout(250);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertThatThrownBy(() -> Tallystick.builder().dataSource(pool).build())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("gave 2 connections at once")
                    .hasMessageContaining("needs at least 4")
                    .hasMessageContaining("maximumPoolSize");
        }
    }

    @Test
    void a_burst_runs_no_more_bodies_at_once_than_it_may() throws InterruptedException {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(3);
        CountDownLatch released = new CountDownLatch(1);
        try (Tallystick tally = Tallystick.builder()
                .dataSource(postgres.dataSource())
                .atOnce(5, 3)
                .build()) {
            tally.register(
                    "busy",
                    String.class,
                    String.class,
                    (ctx, input) -> ctx.step("work", String.class, () -> {
                        most.accumulateAndGet(now.incrementAndGet(), Math::max);
                        begun.countDown();
                        released.await();
                        now.decrementAndGet();
                        return input;
                    }));
            tally.start();
            List<JobHandle<String>> jobs = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                jobs.add(tally.submit("busy", "x", Submit.key("burst:" + i)));
            }
            begun.await();
            released.countDown();
            for (JobHandle<String> job : jobs) {
                assertThat(job.result(Duration.ofSeconds(30))).isEqualTo("x");
            }
        }
        assertThat(most.get()).isEqualTo(3);
    }

    @Test
    void a_body_that_only_waits_for_its_commit_takes_no_place() throws Exception {
        CountDownLatch returning = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        try (Tallystick tally = Tallystick.builder()
                        .dataSource(postgres.dataSource())
                        .atOnce(1, 1)
                        .build();
                Connection stranger = postgres.dataSource().getConnection()) {
            tally.register("blocked", String.class, String.class, (ctx, input) -> {
                returning.countDown();
                return ctx.step("wait", String.class, () -> {
                    locked.await();
                    return input;
                });
            });
            tally.register("free", String.class, String.class, (ctx, input) -> input);
            tally.start();
            JobHandle<String> blocked = tally.submit("blocked", "x", Submit.key("blocked"));
            returning.await();
            stranger.setAutoCommit(false);
            lock(stranger, blocked);
            locked.countDown();

            assertThat(tally.submit("free", "y", Submit.key("free")).result(Duration.ofSeconds(30)))
                    .isEqualTo("y");

            stranger.rollback();
            assertThat(blocked.result(Duration.ofSeconds(30))).isEqualTo("x");
        }
    }

    /** Until the end of the transaction, the job cannot be closed. */
    private static void lock(Connection stranger, JobHandle<?> job) throws SQLException {
        try (PreparedStatement lock = stranger.prepareStatement("select 1 from tally.job where id = ? for update")) {
            lock.setObject(1, job.id().value());
            lock.executeQuery().close();
        }
    }

    @Test
    void a_main_waits_until_it_is_closed() throws InterruptedException {
        Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build();
        Thread main = Thread.ofPlatform().start(() -> {
            try {
                tally.awaitTermination();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(main.isAlive()).isTrue();

        tally.close();

        main.join(30_000);
        assertThat(main.isAlive()).isFalse();
    }
}
