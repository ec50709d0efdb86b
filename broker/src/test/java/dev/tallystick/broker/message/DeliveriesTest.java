package dev.tallystick.broker.message;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.BOB;
import static dev.tallystick.broker.model.TestBroker.INVOICES;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.TO_BOB;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.Broker;
import dev.tallystick.broker.NewMessageSignal;
import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.Priority;
import dev.tallystick.sql.Also;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import dev.tallystick.testkit.TestPostgres;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeliveriesTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Inbox QUEUE = Inbox.queue("invoices");

    private final Database database = Database.on(postgres.dataSource());
    private final Broker broker = TestBroker.on(postgres.dataSource());
    private final Deliveries deliveries = broker.deliveries();

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void an_acknowledged_delivery_does_not_come_again() {
        send("k", "hello");

        List<Delivery> taken = deliveries.lease(MESH, Inbox.of(BOB), 10, LEASE);

        assertThat(taken).singleElement().satisfies(delivery -> {
            assertThat(delivery.message().envelope().body().bytes()).asString().isEqualTo("hello");
            assertThat(delivery.attempt()).isEqualTo(1);
        });
        assertThat(deliveries.lease(MESH, Inbox.of(BOB), 10, LEASE)).isEmpty();
        assertThat(deliveries.acknowledge(MESH, leases(taken))).containsExactly(Acknowledge.DONE);
        assertThat(deliveries.acknowledge(MESH, leases(taken))).containsExactly(Acknowledge.DONE);
        expireLeases();
        assertThat(deliveries.lease(MESH, Inbox.of(BOB), 10, LEASE)).isEmpty();
        assertThat(deliveries.waiting(MESH, Inbox.of(BOB))).isZero();
    }

    @Test
    void a_lease_that_ran_out_lets_another_take_it_and_the_first_has_lost_it() {
        send("k", "hello");
        List<Delivery> first = deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE);
        expireLeases();

        List<Delivery> second = deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE);

        assertThat(second)
                .singleElement()
                .satisfies(again -> assertThat(again.attempt()).isEqualTo(2));
        assertThat(deliveries.acknowledge(MESH, leases(first))).containsExactly(Acknowledge.LEASE_LOST);
        assertThat(deliveries.extend(MESH, leases(first), LEASE)).containsExactly(Acknowledge.LEASE_LOST);
        assertThat(deliveries.waiting(MESH, Inbox.of(BOB))).isEqualTo(1);
        assertThat(deliveries.acknowledge(MESH, leases(second))).containsExactly(Acknowledge.DONE);
        assertThat(deliveries.acknowledge(MESH, leases(first))).containsExactly(Acknowledge.LEASE_LOST);
    }

    @Test
    void an_expired_lease_is_still_good_if_the_delivery_was_not_taken_again() {
        send("k", "hello");
        List<Delivery> taken = deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE);
        expireLeases();

        assertThat(deliveries.acknowledge(MESH, leases(taken))).containsExactly(Acknowledge.DONE);
    }

    @Test
    void a_released_delivery_comes_again_at_once_or_later() {
        send("k", "hello");
        List<Delivery> taken = deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE);

        deliveries.release(MESH, leases(taken), Duration.ZERO, "not now");
        List<Delivery> again = deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE);
        deliveries.release(MESH, leases(again), Duration.ofHours(1), "not now");

        assertThat(again).hasSize(1);
        assertThat(deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE)).isEmpty();
    }

    @Test
    void an_extended_lease_does_not_run_out_before_its_new_end() {
        send("k", "hello");
        List<Delivery> taken = deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE);
        expireLeases();

        assertThat(deliveries.extend(MESH, leases(taken), LEASE)).containsExactly(Acknowledge.DONE);

        assertThat(deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE)).isEmpty();
    }

    @Test
    void an_unsent_delivery_or_one_of_another_mesh_is_unknown() {
        send("k", "hello");
        Delivery.Lease real =
                deliveries.lease(MESH, Inbox.of(BOB), 1, LEASE).getFirst().lease();
        Delivery.Lease invented = new Delivery.Lease(MESH, Inbox.of(BOB), new UUID(1, 2), 1);

        assertThat(deliveries.acknowledge(MESH, List.of(invented))).containsExactly(Acknowledge.UNKNOWN);
        assertThat(deliveries.acknowledge("other", List.of(real))).containsExactly(Acknowledge.UNKNOWN);
        assertThat(deliveries.lease("other", Inbox.of(BOB), 1, LEASE)).isEmpty();
    }

    @Test
    void deliveries_come_by_priority_then_by_acceptance() {
        int n = 0;
        for (Priority priority : List.of(Priority.LOW, Priority.NEXT, Priority.NOW, Priority.LOW, Priority.NOW)) {
            Submission plain = text("k" + n, TO_BOB, priority.word() + n++);
            broker.accept(ALICE, Submission.of(plain.key(), plain.envelope().withPriority(priority)));
        }

        assertThat(deliveries.lease(MESH, Inbox.of(BOB), 10, LEASE))
                .extracting(delivery ->
                        new String(delivery.message().envelope().body().bytes(), StandardCharsets.UTF_8))
                .containsExactly("now2", "now4", "next1", "low0", "low3");
    }

    @Test
    void each_message_of_a_queue_goes_to_one_consumer() throws Exception {
        for (int i = 0; i < 200; i++) {
            broker.accept(ALICE, text("k" + i, INVOICES, "invoice " + i));
        }
        List<UUID> taken = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<UUID>>> consumers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                consumers.add(threads.submit(this::consume));
            }
            for (Future<List<UUID>> consumer : consumers) {
                taken.addAll(consumer.get());
            }
        }
        Set<UUID> distinct = new HashSet<>(taken);
        assertThat(taken).hasSize(200);
        assertThat(distinct).hasSize(200);
    }

    @Test
    void listeners_get_signals_from_this_broker_and_from_another() {
        Signal here = new Signal("a ring here");
        Signal there = new Signal("a ring at the other broker");
        try (Broker other = TestBroker.on(postgres.dataSource());
                NewMessageSignal.Listening listening = broker.bells().listen(here::fire);
                NewMessageSignal.Listening alsoListening = other.bells().listen(there::fire)) {
            // A signal may be lost before the other broker listens; a later one is not.
            Eventually.holds("the other to be rung for", () -> {
                broker.ring();
                return there.hasFired();
            });
            here.await();
        }
    }

    @Test
    void a_member_that_is_removed_gets_nothing_more() {
        send("k", "hello");

        broker.members().remove(MESH, "bob", id -> Also.NOTHING);

        assertThat(deliveries.waiting(MESH, Inbox.of(BOB))).isZero();
        assertThat(broker.accept(ALICE, text("other", ALERTS, "x"))).isInstanceOf(Acceptance.Accepted.class);
        assertThat(deliveries.waiting(MESH, Inbox.of(BOB))).isZero();
    }

    private List<UUID> consume() {
        List<UUID> mine = new ArrayList<>();
        List<Delivery> some = deliveries.lease(MESH, QUEUE, 7, LEASE);
        while (!some.isEmpty()) {
            some.forEach(delivery -> mine.add(delivery.message().id()));
            assertThat(deliveries.acknowledge(MESH, leases(some))).containsOnly(Acknowledge.DONE);
            some = deliveries.lease(MESH, QUEUE, 7, LEASE);
        }
        return mine;
    }

    private void send(String key, String text) {
        assertThat(broker.accept(ALICE, text(key, TO_BOB, text))).isInstanceOf(Acceptance.Accepted.class);
    }

    private void expireLeases() {
        database.transact("let time pass", tx -> tx.update("update tally.delivery set visible_at = now()"));
    }

    private static List<Delivery.Lease> leases(List<Delivery> deliveries) {
        return deliveries.stream().map(Delivery::lease).toList();
    }
}
