package dev.tallystick.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.tallystick.JobHandle;
import dev.tallystick.Submit;
import dev.tallystick.Tallystick;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobOutcome;
import dev.tallystick.workflow.Retry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** What an engine logs about failures. In this module, because the command brings a logging library with an MDC. */
class FailureLogTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    private static final Retry TWICE = Retry.DEFAULT.attempts(2).waiting(Duration.ofMillis(1), Duration.ofMillis(1));

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.tallystick.engine.model.FailureLog");
    private final Keeper keeper = new Keeper(events);
    private Level level;

    private static final class Keeper extends AppenderBase<ILoggingEvent> {

        private final List<ILoggingEvent> kept;

        Keeper(List<ILoggingEvent> kept) {
            this.kept = kept;
        }

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            kept.add(event);
        }
    }

    @BeforeEach
    void listen() {
        level = logger.getLevel();
        logger.setLevel(Level.WARN);
        keeper.start();
        logger.addAppender(keeper);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(keeper);
        logger.setLevel(level);
    }

    @Test
    void each_failed_attempt_is_a_warning_and_the_failed_job_is_one_error_each_with_the_exception() throws Exception {
        String job;
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            tally.register(
                    "order",
                    String.class,
                    String.class,
                    (ctx, item) -> ctx.step("reserve", String.class, TWICE, () -> {
                        throw new IllegalStateException("no " + item);
                    }));
            tally.start();
            JobHandle<String> handle = tally.submit("order", "apples", Submit.unkeyed());
            assertThat(handle.outcome(Duration.ofSeconds(30))).contains(JobOutcome.FAILED);
            job = handle.id().toString();
        }

        assertThat(events).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.WARN, Level.ERROR);
        assertThat(events)
                .allMatch(event -> event.getThrowableProxy().getMessage().equals("no apples"));
        assertThat(events.getFirst().getFormattedMessage())
                .startsWith("attempt 1 of 2 at step 'reserve' of job " + job + " (order@1) failed, retrying in ");
        assertThat(events.get(1).getFormattedMessage()).contains("attempt 2 of 2", "giving up");
        assertThat(events.getFirst().getMDCPropertyMap())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "tally.job",
                        job,
                        "tally.workflow",
                        "order@1",
                        "tally.key",
                        job + ":1",
                        "tally.step",
                        "reserve"));
        assertThat(events.getLast().getMDCPropertyMap())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("tally.job", job, "tally.workflow", "order@1", "tally.key", job));
        Json line = Json.parse(new String(new LogLine(true).encode(events.getLast()), StandardCharsets.UTF_8).strip());
        assertThat(((Json.ObjectValue) line).members()).containsEntry("tally.job", Json.of(job));
    }

    private JobHandle<String> waiting(Tallystick tally, Submit how) {
        tally.register("order", String.class, String.class, (ctx, item) -> ctx.await("paid", String.class));
        tally.start();
        JobHandle<String> handle = tally.submit("order", "apples", how);
        Eventually.holds("it waits", () -> !handle.why().waits().isEmpty());
        return handle;
    }

    private void assertOneErrorOf(JobHandle<String> handle, String reason) throws Exception {
        assertThat(handle.outcome(Duration.ofSeconds(30))).isPresent();
        String job = handle.id().toString();
        Eventually.holds("it is logged", () -> !events.isEmpty());
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.ERROR);
            assertThat(event.getFormattedMessage())
                    .startsWith("job " + job + " (order@1) failed at step '$await:paid': " + reason);
            assertThat(event.getMDCPropertyMap())
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "tally.job",
                            job,
                            "tally.workflow",
                            "order@1",
                            "tally.key",
                            job + ":1",
                            "tally.step",
                            "$await:paid"));
        });
    }

    @Test
    void a_job_that_runs_out_of_time_is_logged_with_the_step_that_it_was_at() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            JobHandle<String> handle = waiting(tally, Submit.unkeyed().timeout(Duration.ofSeconds(2)));

            assertOneErrorOf(handle, "it was not done within its time-out");
        }
    }

    @Test
    void a_job_that_meets_a_ceiling_is_logged_with_the_step_that_it_was_at() throws Exception {
        try (Tallystick tally =
                Tallystick.builder().dataSource(postgres.dataSource()).build()) {
            JobHandle<String> handle = waiting(tally, Submit.unkeyed());

            try (Connection connection = postgres.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                // As it is asked for when the ledger of an activity is full.
                statement.execute("""
                        insert into tally.posting (job_id, guid, mesh, queue, priority, visible_at, path, name)
                        select id, gen_random_uuid(), mesh, '$engine', 0, now(), '', '$ceiling' from tally.job
                        """);
            }

            assertOneErrorOf(handle, "the ledger of an activity is full");
        }
    }
}
