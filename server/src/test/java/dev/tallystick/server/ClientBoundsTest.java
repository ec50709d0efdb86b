package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.AttemptFailure;
import dev.tallystick.client.Deliveries;
import dev.tallystick.client.EventStream;
import dev.tallystick.client.Keys;
import dev.tallystick.client.Messages;
import dev.tallystick.client.OutcomeUnknownException;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.Signal;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every bound that the Java SDK takes is kept, and what a server or a proxy says is bounded and checked. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientBoundsTest {

    private static final Duration BRIEFLY = Duration.ofMillis(900);
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);
    private static final long LARGEST_ANSWER = 64L * 1024 * 1024;
    private static final long IN_BUFFERS = 32L * 1024 * 1024;
    private static final UUID JOB = UUID.fromString("00000000-0000-7000-8000-000000000001");
    private static final IdempotencyKey KEY = new IdempotencyKey("bounds:1");
    private static final Fingerprint REQUEST = Fingerprint.of("charge", "42");

    private static TallyClient client(ScriptedServer server, Duration patience) {
        return new TallyClient(server.address(), "t", patience);
    }

    @Test
    void a_key_is_asked_for_within_the_patience_of_the_client() throws Exception {
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.fallSilent(gone))) {
            Keys keys = client(server, BRIEFLY).keys();

            assertThatThrownBy(() -> keys.reserve(KEY, REQUEST)).isInstanceOf(OutcomeUnknownException.class);
            assertThatThrownBy(() -> keys.once(KEY, REQUEST, Keys.Verdict::release))
                    .isInstanceOf(OutcomeUnknownException.class);
            gone.await();
        }
    }

    @Test
    void whoever_waits_is_let_go_when_the_stream_is_closed() throws Exception {
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.fallSilent(gone))) {
            TallyClient client = client(server, Duration.ofMinutes(2));
            for (EventStream<?> eventStream : List.of(
                    client.messages().follow(Destination.parse("topic:orders"), 0),
                    client.jobs().follow(JOB, 0))) {
                int asked = server.requests().size();
                CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(
                        () -> eventStream.next(ENDLESS).isEmpty(), Thread::startVirtualThread);
                Eventually.holds("it asks", () -> server.requests().size() > asked);

                eventStream.close();

                assertThat(waiting.get()).isTrue();
                assertThat(eventStream.isOver()).isTrue();
            }
            gone.await();
        }
    }

    @Test
    void no_question_takes_longer_than_it_may_although_the_server_is_away() throws Exception {
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.fallSilent(gone));
                EventStream<Messages.Entry> orders =
                        client(server, Duration.ofMinutes(2)).messages().follow(null, 0)) {
            assertThat(orders.next(Duration.ofMillis(20))).isEmpty();
            assertThat(orders.isOver()).isFalse();
        }
    }

    @Test
    void a_part_of_a_second_is_more_than_none() throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.refuse(404, "not_found"))) {
            TallyClient client = client(server, BRIEFLY);
            Duration half = Duration.ofMillis(500);
            Deliveries.Take take = Deliveries.Take.atMost(1).waiting(half).leasedFor(half);

            assertThatThrownBy(() -> client.deliveries().take(take)).isInstanceOf(RefusedException.class);
            assertThatThrownBy(() -> client.result(JOB, half)).isInstanceOf(RefusedException.class);
            assertThatThrownBy(() -> client.jobs().events(JOB, 0, 1, half)).isInstanceOf(RefusedException.class);
            assertThatThrownBy(() -> client.tokens().issue("ann", half)).isInstanceOf(RefusedException.class);

            assertThat(server.requests().get(0)).contains("\"wait_seconds\":1").contains("\"lease_seconds\":1");
            assertThat(server.paths().get(1)).endsWith("/result?wait=1");
            assertThat(server.paths().get(2)).endsWith("&wait=1");
            assertThat(server.requests().get(3)).contains("\"valid_seconds\":1");
        }
    }

    @Test
    void a_time_that_no_clock_can_count_is_sent_and_refused() throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.refuse(400, "malformed_request"))) {
            TallyClient client = client(server, ENDLESS);

            assertThatThrownBy(() -> client.result(JOB, ENDLESS)).isInstanceOf(RefusedException.class);
            assertThatIllegalArgumentException().isThrownBy(() -> client.result(JOB, Duration.ofSeconds(-1)));
            assertThatIllegalArgumentException().isThrownBy(() -> client(server, Duration.ZERO));
        }
    }

    @Test
    void a_server_that_wants_to_be_left_alone_for_longer_than_patience_lasts_is() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(ScriptedServer.refuse(503, "busy", "Retry-After: " + Long.MAX_VALUE))) {
            assertThatThrownBy(() -> client(server, SOON).features()).isInstanceOf(UnavailableException.class);
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void a_proxy_that_wants_to_be_left_alone_is_too() throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.answer(
                429, "slow down", "Content-Type: text/plain", "Server: gate/1.0", "Retry-After: 60"))) {
            assertThatThrownBy(() -> client(server, SOON).submit(TallyClient.NewJob.of("w", Json.ofNull()), KEY))
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            unknown -> assertThat(unknown.failure()).satisfies(failure -> {
                                assertThat(failure.kind()).isEqualTo(AttemptFailure.Kind.FOREIGN_ANSWER);
                                assertThat(failure.status()).isEqualTo(429);
                            }))
                    .hasMessageContaining("429")
                    .hasMessageContaining("gate/1.0")
                    .hasMessageContaining(KEY.value());
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void what_a_proxy_says_can_be_diagnosed() throws Exception {
        try (ScriptedServer server =
                new ScriptedServer(ScriptedServer.answer(502, "<html>", "Content-Type: text/html", "Server: nginx"))) {
            assertThatThrownBy(() -> client(server, BRIEFLY).features())
                    .isInstanceOfSatisfying(
                            UnavailableException.class,
                            unavailable ->
                                    assertThat(unavailable.failure().status()).isEqualTo(502))
                    .hasMessageContaining("502 with text/html from nginx");
            assertThatThrownBy(() -> client(server, BRIEFLY).topics().create("orders"))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("502 with text/html from nginx");
        }
    }

    @Test
    void a_refusal_of_another_product_is_not_definite() throws Exception {
        try (ScriptedServer server = new ScriptedServer(
                ScriptedServer.answer(404, "{\"code\":\"not_found\"}", "Content-Type: application/problem+json"))) {
            assertThatThrownBy(() -> client(server, BRIEFLY).cancel(JOB)).isInstanceOf(OutcomeUnknownException.class);
        }
    }

    @Test
    void a_server_may_be_under_a_path_of_a_proxy() throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.features())) {
            for (String path : List.of("/tally", "/tally/")) {
                new TallyClient(URI.create(server.address() + path), "t", BRIEFLY).features();
            }

            assertThat(server.paths()).containsOnly("/tally/v1/features");
        }
        for (String none : List.of("ftp://x/", "http:/x", "http://u@x/", "http://x/?a=b", "http://x/#a", "x")) {
            assertThatIllegalArgumentException()
                    .as(none)
                    .isThrownBy(() -> new TallyClient(URI.create(none), "t"))
                    .withMessageContaining(none);
        }
    }

    @Test
    void an_answer_without_an_end_is_given_up_and_its_connection_closed() throws Exception {
        AtomicLong sent = new AtomicLong();
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server = new ScriptedServer(
                ScriptedServer.goOnForEver("application/json", sent, gone), ScriptedServer.features())) {
            assertThat(client(server, Duration.ofSeconds(30)).features().features())
                    .isEmpty();
            gone.await();
            assertThat(sent).hasValueLessThan(LARGEST_ANSWER + IN_BUFFERS);
        }
    }

    @Test
    void an_event_without_an_end_is_given_up_and_asked_for_again() throws Exception {
        AtomicLong sent = new AtomicLong();
        Signal gone = new Signal("the client hangs up");
        Signal end = new Signal("the client hangs up in the end");
        try (ScriptedServer server = new ScriptedServer(
                        ScriptedServer.goOnForEver("text/event-stream", sent, gone),
                        ScriptedServer.fallSilentAfter(ClientStreamTest.event(1), end));
                EventStream<Messages.Entry> orders =
                        client(server, SOON).messages().follow(null, 0)) {
            assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(1L);
            gone.await();
            assertThat(sent).hasValueLessThan(LARGEST_ANSWER + IN_BUFFERS);
        }
    }

    @Test
    void an_event_that_arrives_corrupted_is_asked_for_again_and_not_skipped() throws Exception {
        Signal gone = new Signal("the client hangs up");
        String four = ClientStreamTest.event(4);
        String five = ClientStreamTest.event(5);
        try (ScriptedServer server = new ScriptedServer(
                        ScriptedServer.endAfter(four + five.replace("accepted_at", "accepted_by")),
                        ScriptedServer.endAfter(five.replace("{", "[")),
                        ScriptedServer.endAfter(four + five),
                        ScriptedServer.fallSilentAfter(five + ClientStreamTest.event(6), gone));
                EventStream<Messages.Entry> orders =
                        client(server, SOON).messages().follow(null, 3)) {
            for (long position : List.of(4L, 5L, 6L)) {
                assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(position);
            }
        }
    }

    @Test
    void an_event_that_stays_corrupted_is_said_and_asked_for_again_by_the_next_question() throws Exception {
        String broken = ClientStreamTest.event(4).replace("accepted_at", "accepted_by");
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.endAfter(broken));
                EventStream<Messages.Entry> orders =
                        client(server, BRIEFLY).messages().follow(null, 3)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> orders.next(SOON))
                        .isInstanceOf(UnavailableException.class)
                        .hasMessageContaining("accepted_at");
                assertThat(orders.position()).isEqualTo(3);
            }
        }
    }

    @Test
    void an_answer_about_something_else_is_no_answer() throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.answer(
                201,
                "{\"message_id\":\"" + JOB + "\",\"client_message_id\":\"another\"," + "\"history_id\":\"" + JOB
                        + "\",\"history_available\":true,\"duplicate\":false}"))) {
            assertThatThrownBy(() -> client(server, BRIEFLY)
                            .messages()
                            .send(Messages.NewMessage.toTopic("orders", Json.ofNull()), KEY))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("it is about 'another', not about 'bounds:1'");
        }
    }
}
