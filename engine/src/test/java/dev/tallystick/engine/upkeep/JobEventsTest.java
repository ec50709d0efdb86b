package dev.tallystick.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.api.JobApi.EventPage.Event;
import dev.tallystick.engine.Engine;
import dev.tallystick.engine.Workbench;
import dev.tallystick.engine.view.JobEvents;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.testkit.TestPostgres;
import dev.tallystick.workflow.JobId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R18 for one job: a reader that continues from its last position misses nothing. */
class JobEventsTest {

    @RegisterExtension
    static final TestPostgres postgres = Workbench.postgres();

    private static final int STEPS = 40;

    private Workbench workbench;
    private Engine engine;
    private JobEvents events;

    @BeforeEach
    void open() {
        workbench = Workbench.withOldIds(postgres.dataSource());
        workbench.workflow("many", (ctx, input) -> {
            for (int i = 0; i < STEPS; i++) {
                ctx.step("step-" + i, String.class, () -> "done");
            }
            return "done";
        });
        workbench.workflow("waiting", (ctx, input) -> ctx.await("go", String.class));
        engine = workbench.start();
        events = new JobEvents(workbench.database());
    }

    @AfterEach
    void close() {
        workbench.close();
    }

    @Test
    void a_job_is_told_from_its_acceptance_to_its_end() {
        JobId job = workbench.submit(engine, "waiting", "key");
        workbench.signal(engine, job, "go");
        workbench.await(engine, job);

        List<Event> told = events.read("default", job, JobEvents.BEGINNING, 100);

        assertThat(told).extracting(Event::position).containsExactlyElementsOf(upTo(told.size()));
        assertThat(told.getFirst().event()).isEqualTo("accepted");
        assertThat(told)
                .extracting(event -> event.event() + " " + event.name())
                .contains("signalled go", "entered $await:go");
        assertThat(told.getLast().event()).isEqualTo("closed");
        assertThat(told.getLast().outcome()).isEqualTo("completed");
        assertThat(events.read("default", job, told.size(), 100)).isEmpty();
    }

    @Test
    void r18_what_commits_late_comes_late_and_is_not_missed() throws SQLException {
        JobId job = workbench.submit(engine, "waiting", "key");
        workbench.awaitParked();
        List<Event> before = events.read("default", job, JobEvents.BEGINNING, 100);
        try (Connection slow = postgres.unpooled().getConnection();
                Connection fast = postgres.unpooled().getConnection()) {
            slow.setAutoCommit(false);
            enter(slow, job, "slow");
            enter(fast, job, "fast");

            List<Event> between = events.read("default", job, before.size(), 100);
            slow.commit();
            List<Event> after = events.read("default", job, between.getLast().position(), 100);

            assertThat(between).extracting(Event::name).containsExactly("fast");
            assertThat(after).extracting(Event::name).containsExactly("slow");
            assertThat(after.getFirst().at()).isBefore(between.getFirst().at());
        }
        List<Event> again = events.read("default", job, JobEvents.BEGINNING, 100);
        assertThat(again).extracting(Event::name).endsWith("fast", "slow");
    }

    private static void enter(Connection connection, JobId job, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "insert into tally.activity (job_id, path, name, kind, ledger) values (?, '99', ?, 'step', 0)")) {
            statement.setObject(1, job.value());
            statement.setString(2, name);
            statement.executeUpdate();
        }
    }

    @Test
    void all_readers_of_a_running_job_see_the_same() throws Exception {
        JobId job = workbench.submit(engine, "many", "key");
        List<Future<List<Event>>> readers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 4; i++) {
                int page = 3 + 10 * i;
                readers.add(threads.submit(() -> follow(job, page)));
            }
        }
        List<Event> all = events.read("default", job, JobEvents.BEGINNING, JobEvents.LARGEST_PAGE);

        assertThat(all).extracting(Event::position).containsExactlyElementsOf(upTo(all.size()));
        assertThat(all.stream().filter(event -> event.event().equals("returned")))
                .hasSize(STEPS + 1);
        for (Future<List<Event>> reader : readers) {
            List<Event> seen = reader.get();
            assertThat(seen).isEqualTo(all.subList(0, seen.size()));
            assertThat(seen.getLast().event()).isEqualTo("closed");
        }
    }

    private List<Event> follow(JobId job, int page) {
        List<Event> seen = new ArrayList<>();
        while (seen.isEmpty() || !seen.getLast().event().equals("closed")) {
            seen.addAll(events.read("default", job, seen.size(), page));
        }
        return seen;
    }

    @Test
    void a_job_that_is_dropped_takes_its_events_along() {
        JobId job = workbench.submit(engine, "many", "key");
        JobId open = workbench.submit(engine, "waiting", "other");
        workbench.await(engine, job);
        events.read("default", job, JobEvents.BEGINNING, 100);
        events.read("default", open, JobEvents.BEGINNING, 100);
        workbench
                .database()
                .transact(
                        "age",
                        tx -> tx.update(
                                "update tally.job set closed_at = closed_at - interval '31 days' where id = ?",
                                job.value()));

        new JobRetention(workbench.database(), KeyRetention.DEFAULT, Duration.ofDays(30)).sweep();

        assertThat(workbench.count("job_event where job_id = '" + job + "'")).isZero();
        assertThat(workbench.count("job_log")).isEqualTo(1);
        assertThat(events.read("default", job, JobEvents.BEGINNING, 100)).isEmpty();
        assertThat(workbench.count("job_log")).isEqualTo(1);
        assertThat(events.read("default", open, JobEvents.BEGINNING, 100)).isNotEmpty();
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }
}
