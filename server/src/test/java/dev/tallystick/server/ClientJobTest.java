package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.EventStream;
import dev.tallystick.client.Jobs;
import dev.tallystick.client.Jobs.Filter;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.TallyClient.NewJob;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.JobApi.EventPage;
import dev.tallystick.core.api.JobApi.JobActivities;
import dev.tallystick.core.api.JobApi.JobList;
import dev.tallystick.core.api.JobApi.JobView;
import dev.tallystick.core.api.JobApi.JobWhy;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs found, looked into and followed through the Java SDK. */
@Timeout(120)
class ClientJobTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final Duration SOON = Duration.ofSeconds(30);

    private static ServerUnderTest server;
    private static TallyClient client;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        Http http = server.member("shop", "member");
        client = new TallyClient(http.server(), http.token());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static NewJob job(String workflow) {
        return NewJob.of(workflow, Json.parse("{\"order\":\"42\"}"));
    }

    @Test
    void jobs_are_found_by_what_is_known_of_them() {
        Filter carls = Filter.ALL.ofWorkflow("sample.order").withAttribute("customer", "carl & sons");
        List<UUID> submitted = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            NewJob order = job("sample.order").withAttribute("customer", "carl & sons");
            submitted.addFirst(
                    client.submit(order, new IdempotencyKey("carl:" + i)).job());
        }
        submitted.forEach(each -> client.result(each, SOON));

        JobList first = client.jobs().list(carls.withStatus("completed"), null, 2);
        JobList second = client.jobs().list(carls.withStatus("completed"), first.next(), 2);
        JobView oldest = client.jobs().findByKey(new IdempotencyKey("carl:0"));

        assertThat(first.jobs()).extracting(JobView::jobId).containsExactlyElementsOf(submitted.subList(0, 2));
        assertThat(second.jobs()).containsExactly(oldest);
        assertThat(second.next()).isNull();
        assertThat(oldest.attributes()).isEqualTo(Map.of("customer", "carl & sons"));
        assertThat(oldest.closedAt()).isNotNull();
        assertThat(client.jobs()
                        .list(carls.submittedBetween(oldest.createdAt(), oldest.createdAt()), null, 10)
                        .jobs())
                .isEmpty();
        assertThat(client.jobs().list(carls.withStatus("open"), null, 10).jobs())
                .isEmpty();
    }

    @Test
    void a_job_is_looked_into_while_it_waits_and_followed_to_its_end() {
        UUID job =
                client.submit(job("sample.approval"), new IdempotencyKey("a:1")).job();
        JobWhy why = Eventually.value(
                "it waits for its signal",
                () -> client.jobs().why(job),
                seen -> seen.waits().stream().anyMatch(wait -> wait.what().contains("approved")));
        assertThat(why.waits()).allSatisfy(wait -> assertThat(wait.mover()).isNotEmpty());
        assertThat(client.jobs().find(job).isOpen()).isTrue();
        assertThat(client.jobs().activities(job))
                .extracting(JobActivities.Activity::name)
                .contains("reserve");

        List<EventPage.Event> seen = new ArrayList<>();
        long position;
        try (EventStream<EventPage.Event> events = client.jobs().follow(job, Jobs.BEGINNING)) {
            seen.add(events.next(SOON).orElseThrow());
            position = events.position();
        }
        client.signal(job, "approved", Json.parse("{\"by\":\"ann\"}"), new IdempotencyKey("a:1:signal"));
        try (EventStream<EventPage.Event> events = client.jobs().follow(job, position)) {
            events.forEach(seen::add);
            assertThat(events.isOver()).isTrue();
        }

        assertThat(seen).extracting(EventPage.Event::position).isSorted().doesNotHaveDuplicates();
        assertThat(seen)
                .extracting(EventPage.Event::event)
                .startsWith("accepted")
                .contains("signalled", "closed");
        try (EventStream<EventPage.Event> after =
                client.jobs().follow(job, seen.getLast().position())) {
            assertThat(after).isEmpty();
        }
    }

    @Test
    void a_job_that_does_not_exist_cannot_be_followed() {
        try (EventStream<EventPage.Event> events =
                client.jobs().follow(UUID.fromString("00000000-0000-7000-8000-000000000000"), Jobs.BEGINNING)) {
            assertThatThrownBy(() -> events.next(SOON)).isInstanceOf(RefusedException.class);
        }
    }
}
