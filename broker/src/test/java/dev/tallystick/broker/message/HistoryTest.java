package dev.tallystick.broker.message;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.INVOICES;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.AcceptTest;
import dev.tallystick.broker.Broker;
import dev.tallystick.broker.JobHook;
import dev.tallystick.broker.Retention;
import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.broker.model.BrokerCrashPoint;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Member;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Role;
import dev.tallystick.keys.AcceptKeys;
import dev.tallystick.sql.Database;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Gate;
import dev.tallystick.testkit.TestPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private final Database database = Database.on(postgres.dataSource());
    private final Sequencer sequencer = new Sequencer(database, CrashPoints.NONE);
    private final Broker broker = TestBroker.on(postgres.dataSource());
    private final History history = broker.history();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.shutdownNow();
        broker.close();
    }

    @Test
    void an_entry_is_read_only_once_it_is_numbered() {
        UUID id = send("k");
        assertThat(history.read(MESH, null, History.BEGINNING, 10).entries()).isEmpty();

        assertThat(sequencer.run()).isEqualTo(1);

        History.Page page = history.read(MESH, null, History.BEGINNING, 10);
        assertThat(page.entries()).singleElement().satisfies(entry -> {
            assertThat(entry.message().id()).isEqualTo(id);
            assertThat(entry.position()).isEqualTo(page.next());
        });
        assertThat(history.read(MESH, null, page.next(), 10)).isEqualTo(new History.Page(List.of(), page.next()));
        assertThat(sequencer.run()).isZero();
    }

    @Test
    void positions_of_a_mesh_do_not_tell_how_much_others_send() {
        Member stranger = new Member("other", "zoe", Set.of(Role.MEMBER));
        broker.members().createMesh("other");
        broker.members().create(stranger);
        broker.directory().create("other", ALERTS);
        for (int round = 1; round <= 2; round++) {
            send("mine:" + round);
            for (int i = 0; i < 5; i++) {
                AcceptTest.accepted(broker.accept(stranger, text("theirs:" + round + ":" + i, ALERTS, "x")));
            }
            sequencer.run();
        }

        assertThat(history.read(MESH, null, History.BEGINNING, 10).entries())
                .extracting(History.Entry::position)
                .containsExactly(1L, 2L);
        assertThat(history.read("other", ALERTS, 8, 10).entries())
                .extracting(History.Entry::position)
                .containsExactly(9L, 10L);
    }

    /** The message with the lower ID commits last: a reader that has already seen the other must still get it. */
    @Test
    void a_reader_with_a_position_does_not_miss_what_was_begun_earlier_and_committed_later() throws Exception {
        Gate written = new Gate("the slow one before its commit");
        CrashPoints points = point -> {
            if (point == BrokerCrashPoint.MESSAGES_WRITTEN) {
                written.pass();
            }
        };
        try (Broker slow =
                TestBroker.on(postgres.dataSource(), TestBroker.SETTINGS, new JobHook(), Limiter.NONE, points)) {
            Future<Acceptance> late = threads.submit(() -> slow.accept(ALICE, text("late", ALERTS, "x")));
            written.awaitArrival();
            UUID early = send("early");
            sequencer.run();
            History.Page seen = history.read(MESH, null, History.BEGINNING, 10);
            assertThat(seen.entries()).extracting(entry -> entry.message().id()).containsExactly(early);
            written.open();
            AcceptedMessage message = AcceptTest.accepted(late.get());
            assertThat(message.id()).isLessThan(early);
            sequencer.run();

            assertThat(history.read(MESH, null, seen.next(), 10).entries())
                    .extracting(entry -> entry.message().id())
                    .containsExactly(message.id());
        }
    }

    @Test
    void readers_that_follow_many_writers_and_two_sequencers_see_everything_once() throws Exception {
        Set<UUID> sent = ConcurrentHashMap.newKeySet();
        try (Broker other = TestBroker.on(postgres.dataSource())) {
            broker.start();
            other.start();
            Future<List<UUID>> reader = threads.submit(() -> follow(600));
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < 12; writer++) {
                String name = "w" + writer + "-";
                Broker mine = writer % 2 == 0 ? broker : other;
                writers.add(threads.submit(() -> {
                    for (int i = 0; i < 50; i++) {
                        sent.add(AcceptTest.accepted(mine.accept(ALICE, text(name + i, ALERTS, "x")))
                                .id());
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            List<UUID> read = reader.get();
            assertThat(read).hasSize(600).doesNotHaveDuplicates();
            assertThat(sent).containsExactlyInAnyOrderElementsOf(read);
        }
    }

    @Test
    void each_destination_and_each_mesh_has_its_own_history() {
        UUID alert = send("k");
        broker.accept(ALICE, text("other", INVOICES, "x"));
        sequencer.run();

        assertThat(history.read(MESH, ALERTS, History.BEGINNING, 10).entries())
                .extracting(entry -> entry.message().id())
                .containsExactly(alert);
        assertThat(history.read(MESH, null, History.BEGINNING, 10).entries()).hasSize(2);
        assertThat(history.read(MESH, null, History.BEGINNING, 1).entries()).hasSize(1);
        assertThat(history.read("other", null, History.BEGINNING, 10).entries()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"alice", "alice#2"})
    void old_messages_are_forgotten_and_their_keys_say_so(String id) {
        Member sender = new Member(MESH, ALICE.name(), id, ALICE.roles());
        AcceptedMessage message = AcceptTest.accepted(broker.accept(sender, text("k", INVOICES, "x")));
        sequencer.run();
        Retention retention = new Retention(
                database,
                new AcceptKeys(TestBroker.SETTINGS.keyRetention()),
                TestBroker.SETTINGS.historyKept(),
                CrashPoints.NONE);
        assertThat(retention.sweep()).isZero();
        database.transact(
                "let time pass",
                tx -> tx.update("update tally.history set accepted_at = accepted_at - interval '31 days'"));
        assertThat(retention.sweep()).as("an open delivery keeps it").isZero();
        List<Delivery> taken = broker.deliveries().lease(MESH, Inbox.queue("invoices"), 1, Deliveries.DEFAULT_LEASE);
        broker.deliveries()
                .acknowledge(MESH, taken.stream().map(Delivery::lease).toList());

        assertThat(retention.sweep()).isEqualTo(1);

        assertThat(history.message(MESH, message.id())).isEmpty();
        assertThat(TestBroker.rows(postgres.dataSource()))
                .containsEntry("key", 1L)
                .containsEntry("history", 0L)
                .containsEntry("delivery", 0L);
        try (Broker restarted = TestBroker.on(postgres.dataSource())) {
            assertThat(restarted.accept(sender, text("k", INVOICES, "x")))
                    .isInstanceOfSatisfying(Acceptance.Duplicate.class, duplicate -> {
                        assertThat(duplicate.message().id()).isEqualTo(message.id());
                        assertThat(duplicate.message().history()).isEqualTo(message.history());
                        assertThat(duplicate.message().historyAvailable()).isFalse();
                    });
            assertThat(restarted.orphans().run().isClean()).isTrue();
        }
    }

    private List<UUID> follow(int expected) {
        List<UUID> read = new ArrayList<>();
        long[] position = {History.BEGINNING};
        Eventually.holds("everything to be read", () -> {
            History.Page page = history.read(MESH, null, position[0], 50);
            page.entries().forEach(entry -> {
                assertThat(entry.position()).isEqualTo(++position[0]);
                read.add(entry.message().id());
            });
            return read.size() == expected;
        });
        return read;
    }

    private UUID send(String key) {
        return AcceptTest.accepted(broker.accept(ALICE, text(key, ALERTS, "x"))).id();
    }
}
