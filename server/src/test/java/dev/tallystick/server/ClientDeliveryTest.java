package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.Deliveries;
import dev.tallystick.client.Deliveries.Delivery;
import dev.tallystick.client.Deliveries.Outcome;
import dev.tallystick.client.Deliveries.Take;
import dev.tallystick.client.Messages;
import dev.tallystick.client.Messages.NewMessage;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Destination;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.WebhookApi.DeadCallList;
import dev.tallystick.core.api.WebhookApi.DeadCallView;
import dev.tallystick.core.api.WebhookApi.Registered;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How messages reach their recipients, through the Java SDK: topics, queues, deliveries, webhooks. */
@Timeout(120)
class ClientDeliveryTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static final Duration SOON = Duration.ofSeconds(30);

    private static ServerUnderTest server;
    private static TallyClient admin;
    private static TallyClient bob;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        admin = client(server.admin());
        bob = client(server.member("bob", "member"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static TallyClient client(Http http) {
        return new TallyClient(http.server(), http.token());
    }

    private static Delivery one(TallyClient taker, Take wanted) {
        List<Delivery> taken = taker.deliveries().take(wanted.waiting(SOON));
        assertThat(taken).hasSize(1);
        return taken.getFirst();
    }

    @Test
    void a_topic_is_made_subscribed_to_and_deleted() {
        admin.topics().create("orders.new");
        admin.topics().create("orders.new");
        bob.topics().subscribe("orders.new", "bob");

        assertThat(bob.topics().list()).contains("orders.new");
        assertThat(bob.topics().subscribers("orders.new")).containsExactly("bob");
        admin.messages().send(NewMessage.toTopic("orders.new", Json.of("1")), new IdempotencyKey("t:1"));
        Delivery delivery = one(bob, Take.atMost(5));
        assertThat(delivery.message().body()).isEqualTo(Json.of("1"));
        assertThat(bob.deliveries().acknowledge(delivery)).isEqualTo(Outcome.DONE);

        bob.topics().unsubscribe("orders.new", "bob");
        assertThat(bob.topics().subscribers("orders.new")).isEmpty();
        admin.topics().delete("orders.new");
        assertThat(bob.topics().list()).doesNotContain("orders.new");
        assertThatThrownBy(() -> bob.topics().create("orders.new"))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo("forbidden"));
    }

    @Test
    void what_lies_in_a_queue_is_taken_kept_given_back_and_acknowledged() {
        Deliveries deliveries = bob.deliveries();
        Take invoices = Take.atMost(1).fromQueue("invoices");
        admin.queues().create("invoices");
        assertThat(bob.queues().list()).contains("invoices");
        assertThat(deliveries.take(invoices)).isEmpty();
        admin.messages().send(NewMessage.toQueue("invoices", Json.of("i")), new IdempotencyKey("q:1"));

        Delivery first = one(bob, invoices.leasedFor(Duration.ofMinutes(1)));
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(deliveries.extend(List.of(first), Duration.ofMinutes(5))).containsExactly(Outcome.DONE);
        assertThat(deliveries.release(List.of(first), Duration.ZERO)).containsExactly(Outcome.DONE);
        Delivery second = one(admin, invoices);

        assertThat(second.message()).isEqualTo(first.message());
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(deliveries.acknowledge(first)).isEqualTo(Outcome.LEASE_LOST);
        assertThat(admin.deliveries().acknowledge(List.of(second, second))).containsExactly(Outcome.DONE, Outcome.DONE);
        admin.queues().delete("invoices");
        assertThat(bob.queues().list()).doesNotContain("invoices");
    }

    @Test
    void a_call_that_was_given_up_is_found_and_made_again() throws Exception {
        TallyClient carol = client(server.member("carol", "member"));
        try (Receiver receiver = new Receiver()) {
            receiver.answer(410);
            Registered registered =
                    carol.webhooks().register(Destination.parse("member:carol"), URI.create(receiver.url()));
            Messages.Sent sent =
                    admin.messages().send(NewMessage.toMember("carol", Json.of("ring")), new IdempotencyKey("w:2"));
            receiver.next();
            DeadCallList dead = Eventually.value(
                    "it is given up",
                    () -> carol.webhooks().dead(null, 50),
                    page -> !page.calls().isEmpty());
            DeadCallView call = dead.calls().getFirst();

            receiver.answer(204);
            carol.webhooks().redrive(call);

            assertThat(receiver.next().messageId()).isEqualTo(sent.message().toString());
            assertThat(call.webhookId()).isEqualTo(registered.webhook().id());
            assertThat(call.attempts()).isEqualTo(1);
            assertThat(call.error()).contains("410");
            assertThat(dead.next()).isNull();
            Eventually.holds(
                    "it is dead no more",
                    () -> carol.webhooks().dead(null, 50).calls().isEmpty());
            carol.webhooks().delete(registered.webhook().id());
        }
    }

    @Test
    void a_webhook_is_registered_called_and_deleted() throws Exception {
        TallyClient dave = client(server.member("dave", "member"));
        try (Receiver receiver = new Receiver()) {
            Registered registered =
                    dave.webhooks().register(Destination.parse("member:dave"), URI.create(receiver.url()));
            admin.messages().send(NewMessage.toMember("dave", Json.of("ring")), new IdempotencyKey("w:1"));

            Receiver.Called called = receiver.next();

            assertThat(called.at("message")).isEqualTo(Json.of("ring"));
            assertThat(called.isSignedWith(registered.secret())).isTrue();
            assertThat(registered.toString()).doesNotContain(registered.secret());
            assertThat(dave.webhooks().list()).containsExactly(registered.webhook());
            dave.webhooks().delete(registered.webhook().id());
            assertThat(dave.webhooks().list()).isEmpty();
        }
    }
}
