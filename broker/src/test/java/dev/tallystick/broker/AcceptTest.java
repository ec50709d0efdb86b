package dev.tallystick.broker;

import static dev.tallystick.broker.model.TestBroker.ALERTS;
import static dev.tallystick.broker.model.TestBroker.ALICE;
import static dev.tallystick.broker.model.TestBroker.BOB;
import static dev.tallystick.broker.model.TestBroker.INVOICES;
import static dev.tallystick.broker.model.TestBroker.MESH;
import static dev.tallystick.broker.model.TestBroker.ORDER;
import static dev.tallystick.broker.model.TestBroker.TO_BOB;
import static dev.tallystick.broker.model.TestBroker.to;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.broker.accept.Acceptance;
import dev.tallystick.broker.accept.AcceptedMessage;
import dev.tallystick.broker.accept.JobOptions;
import dev.tallystick.broker.accept.Submission;
import dev.tallystick.broker.message.History;
import dev.tallystick.broker.model.Inbox;
import dev.tallystick.broker.model.Message;
import dev.tallystick.broker.model.TestBroker;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

public class AcceptTest {

    @RegisterExtension
    static final TestPostgres postgres = TestBroker.postgres();

    private Broker broker = TestBroker.on(postgres.dataSource());

    @AfterEach
    void close() {
        broker.close();
    }

    static Stream<Destination> destinations() {
        return Stream.of(ALERTS, INVOICES, TO_BOB, ORDER);
    }

    /** Key state × fingerprint × cached or not: uncached cases ask a broker that has just started. */
    @ParameterizedTest
    @MethodSource("destinations")
    void a_repeat_gets_the_first_answer_and_another_request_is_refused(Destination to) {
        AcceptedMessage first = accepted(broker.accept(ALICE, to(to, "k", "hello")));
        Map<String, Long> rows = TestBroker.rows(postgres.dataSource());

        for (boolean restarted : new boolean[] {false, true}) {
            if (restarted) {
                restart();
            }
            for (int repeat = 0; repeat < 2; repeat++) {
                assertThat(broker.accept(ALICE, to(to, "k", "hello"))).isEqualTo(new Acceptance.Duplicate(first));
                Submission other = to(to, "k", "something else");
                assertThat(broker.accept(ALICE, other)).isInstanceOfSatisfying(Acceptance.KeyReused.class, reused -> {
                    assertThat(reused.reuse().boundPrefix())
                            .isEqualTo(first.fingerprint().prefix());
                    assertThat(reused.reuse().offeredPrefix())
                            .isEqualTo(other.fingerprint().prefix())
                            .hasSize(16);
                });
            }
            restart();
            assertThat(broker.accept(ALICE, to(to, "k", "something else"))).isInstanceOf(Acceptance.KeyReused.class);
            assertThat(broker.accept(ALICE, to(to, "k", "hello"))).isEqualTo(new Acceptance.Duplicate(first));
        }
        assertThat(TestBroker.rows(postgres.dataSource())).isEqualTo(rows);
    }

    @ParameterizedTest
    @MethodSource("destinations")
    void accepting_writes_one_of_everything(Destination to) {
        AcceptedMessage message = accepted(broker.accept(ALICE, to(to, "k", "hello")));

        boolean job = to.equals(ORDER);
        assertThat(TestBroker.rows(postgres.dataSource()))
                .isEqualTo(Map.of(
                        "key",
                        1L,
                        "message",
                        1L,
                        "history",
                        1L,
                        "delivery",
                        job ? 0L : 1L,
                        "mention",
                        0L,
                        "test_job",
                        job ? 1L : 0L));
        assertThat(message.to()).isEqualTo(to);
        assertThat(message.historyAvailable()).isTrue();
        assertThat(message.answer().text()).isEqualTo(job ? "{\"version\":1}" : "");
        assertThat(broker.find(new ScopedKey(ALICE.scope(), TestBroker.key("k"))))
                .contains(message);
    }

    @Test
    void a_message_is_read_as_it_was_sent() {
        Envelope envelope = new Envelope(
                TO_BOB,
                "0190-some-id",
                Priority.NOW,
                (Json.ObjectValue) Json.parse("{\"b\":[1,2],\"a\":null}"),
                List.of("bob", "alice"),
                new Envelope.Body.Document(Json.parse("{\"x\":\"ä\\u0000\"}")));
        Submission submission = Submission.of(TestBroker.key("k"), envelope)
                .withTraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

        AcceptedMessage accepted = accepted(broker.accept(ALICE, submission));
        Message message = broker.history().message(MESH, accepted.id()).orElseThrow();

        assertThat(message.envelope()).isEqualTo(envelope);
        assertThat(message.sender()).isEqualTo("alice");
        assertThat(message.traceParent()).isEqualTo(submission.traceParent());
        assertThat(message.acceptedAt()).isEqualTo(accepted.acceptedAt());
        assertThat(broker.history().message("other", accepted.id())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\nX-Forged: yes"
            })
    void a_malformed_trace_context_is_dropped(String wrong) {
        AcceptedMessage accepted =
                accepted(broker.accept(ALICE, to(ALERTS, "k", "hello").withTraceParent(wrong)));

        assertThat(broker.history().message(MESH, accepted.id()).orElseThrow().traceParent())
                .isNull();
    }

    @Test
    void a_topic_without_subscribers_accepts() {
        broker.directory().unsubscribe(MESH, "alerts", "bob");

        accepted(broker.accept(ALICE, to(ALERTS, "k", "hello")));

        assertThat(TestBroker.rows(postgres.dataSource()))
                .containsEntry("delivery", 0L)
                .containsEntry("message", 1L);
    }

    @Test
    void every_subscriber_of_a_topic_gets_its_own_delivery() {
        broker.directory().subscribe(MESH, "alerts", "alice");

        accepted(broker.accept(ALICE, to(ALERTS, "k", "hello")));

        assertThat(broker.deliveries().waiting(MESH, Inbox.of(ALICE))).isEqualTo(1);
        assertThat(broker.deliveries().waiting(MESH, Inbox.of(BOB))).isEqualTo(1);
    }

    @Test
    void the_keys_of_two_members_do_not_meet() {
        AcceptedMessage ofAlice = accepted(broker.accept(ALICE, to(ALERTS, "k", "hello")));
        AcceptedMessage ofBob = accepted(broker.accept(BOB, to(ALERTS, "k", "something else")));

        assertThat(ofAlice.id()).isNotEqualTo(ofBob.id());
    }

    @Test
    void a_repeat_with_other_options_is_the_same_job() {
        AcceptedMessage first = accepted(broker.accept(ALICE, TestBroker.job("k", "x")));
        JobOptions other = new JobOptions(7, null, new Json.ObjectValue(Map.of()));

        assertThat(broker.accept(ALICE, TestBroker.job("k", "x").withOptions(other)))
                .isEqualTo(new Acceptance.Duplicate(first));
    }

    @Test
    void of_64_equal_submissions_at_once_one_is_accepted_and_63_get_its_answer() throws Exception {
        List<Acceptance> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Acceptance>> futures = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                futures.add(threads.submit(() -> broker.accept(ALICE, TestBroker.job("k", "x"))));
            }
            for (Future<Acceptance> future : futures) {
                answers.add(future.get());
            }
        }

        AcceptedMessage first = answers.stream()
                .filter(Acceptance.Accepted.class::isInstance)
                .map(AcceptTest::accepted)
                .findFirst()
                .orElseThrow();
        assertThat(answers.stream().filter(new Acceptance.Accepted(first)::equals))
                .hasSize(1);
        assertThat(answers.stream().filter(new Acceptance.Duplicate(first)::equals))
                .hasSize(63);
        assertThat(TestBroker.rows(postgres.dataSource())).containsEntry("test_job", 1L);
        assertThat(broker.counts().accepted()).isEqualTo(1);
        assertThat(broker.counts().duplicates()).isEqualTo(63);
    }

    @Test
    void mentions_are_found_by_the_member_that_is_mentioned() {
        Submission submission = TestBroker.text("k", ALERTS, "hello");
        Envelope envelope = submission.envelope().withMentions(List.of("bob", "bob"));
        broker.start();

        AcceptedMessage message = accepted(broker.accept(ALICE, Submission.of(TestBroker.key("k"), envelope)));

        History.Page page = Eventually.value(
                "the mention",
                () -> broker.history().mentions(MESH, "bob", History.BEGINNING, 10),
                read -> !read.entries().isEmpty());
        assertThat(page.entries())
                .singleElement()
                .satisfies(entry -> assertThat(entry.message().id()).isEqualTo(message.id()));
        assertThat(broker.history()
                        .mentions(MESH, "alice", History.BEGINNING, 10)
                        .entries())
                .isEmpty();
    }

    private void restart() {
        broker.close();
        broker = TestBroker.on(postgres.dataSource());
    }

    public static AcceptedMessage accepted(Acceptance answer) {
        assertThat(answer).isInstanceOf(Acceptance.Accepted.class);
        return ((Acceptance.Accepted) answer).message();
    }
}
