package dev.tallystick.broker.webhook;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.BOB;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.JobHook;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Also;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who may register a webhook, how many, and for which addresses. */
class RegistrationTest {

    private static final URI ANYWHERE = URI.create("https://shop.example/tally");

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final JobHook jobs = new JobHook("order");
    private final Broker broker =
            TestBroker.on(postgres.dataSource(), TestBroker.SETTINGS, jobs, Limiter.NONE, CrashPoints.NONE);

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void a_member_cannot_exceed_its_webhooks_even_by_registering_them_at_once() throws Exception {
        List<Registration> outcomes = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Registration>> asked = new ArrayList<>();
            for (int i = 0; i < Webhooks.MAX_OF_A_MEMBER + 5; i++) {
                asked.add(threads.submit(() -> broker.webhooks().register(ALICE, TestBroker.ORDER, ANYWHERE)));
            }
            for (Future<Registration> each : asked) {
                outcomes.add(each.get());
            }
        }

        assertThat(outcomes)
                .filteredOn(new Registration.TooMany(Webhooks.MAX_OF_A_MEMBER)::equals)
                .hasSize(5);
        List<Webhook> webhooks = broker.webhooks().list(MESH);
        assertThat(webhooks).hasSize(Webhooks.MAX_OF_A_MEMBER);
        assertThat(jobs.watched.keySet())
                .as("who was refused watches nothing")
                .containsExactlyInAnyOrderElementsOf(
                        webhooks.stream().map(Webhook::id).toList());
        assertThat(broker.webhooks().register(BOB, ALERTS, ANYWHERE)).isInstanceOf(Registration.Registered.class);

        broker.webhooks().delete(MESH, webhooks.getFirst().id());

        assertThat(broker.webhooks().register(ALICE, ALERTS, ANYWHERE)).isInstanceOf(Registration.Registered.class);
    }

    @Test
    void a_removed_member_has_no_webhooks_called_and_watches_nothing() {
        broker.members().remove(MESH, "alice", id -> Also.NOTHING);

        assertThat(broker.webhooks().register(ALICE, TestBroker.ORDER, ANYWHERE))
                .isEqualTo(new Registration.NoSuchMember());

        assertThat(jobs.watched).isEmpty();
    }

    @Test
    void an_uncallable_url_is_refused() {
        for (String url : List.of(
                "ftp://example.org/",
                "https:///x",
                "http://user:secret@example.org/",
                "mailto:x@example.org",
                "https://example.org:99999/",
                "https://example.org:65536/",
                "https://example.org:0/",
                "https://example.org./",
                "https://a234567890123456789012345678901234567890123456789012345678901234.example/")) {
            assertThatThrownBy(() -> broker.webhooks().register(ALICE, ALERTS, URI.create(url)))
                    .as(url)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a webhook")
                    .hasMessageContaining(url);
        }
    }
}
