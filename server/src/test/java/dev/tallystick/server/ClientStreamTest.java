package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.client.EventStream;
import dev.tallystick.client.Jobs;
import dev.tallystick.client.Messages;
import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.client.UnavailableException;
import dev.tallystick.core.Destination;
import dev.tallystick.core.api.JobApi.EventPage;
import dev.tallystick.testkit.Signal;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the Java SDK makes of streams that break off, fall silent or are refused. */
@Timeout(60)
class ClientStreamTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Destination TOPIC = Destination.parse("topic:orders");

    private static EventStream<Messages.Entry> follow(ScriptedServer server, long after) {
        return new TallyClient(server.address(), "t", Duration.ofSeconds(3))
                .messages()
                .follow(TOPIC, after);
    }

    static String event(long position) {
        return "id: " + position + "\nevent: message\ndata: {\"position\":" + position
                + ",\"history_id\":\"00000000-0000-7000-8000-000000000000\",\"message\":"
                + "{\"message_id\":\"00000000-0000-7000-8000-000000000000\",\"from\":\"shop\",\"to\":\"topic:orders\","
                + "\"message\":\"x\",\"priority\":\"next\",\"mentions\":[],\"accepted_at\":\"2030-01-31T12:00:00Z\"}}\n\n";
    }

    private static String half(String event) {
        return event.substring(0, event.length() / 2);
    }

    @Test
    void a_stream_that_ends_or_breaks_off_goes_on_after_the_last_event_that_was_whole() throws Exception {
        Signal gone = new Signal("the client hangs up");
        try (ScriptedServer server = new ScriptedServer(
                        ScriptedServer.endAfter(": hello\n\n" + event(4)),
                        ScriptedServer.breakOffAfter(": hello\n\n" + event(5) + half(event(7))),
                        ScriptedServer.hangUp(),
                        ScriptedServer.fallSilentAfter(
                                ": hello\n\n" + event(7) + ": still here\n\n" + event(8), gone));
                EventStream<Messages.Entry> orders = follow(server, 3)) {
            assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(4L);
            assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(5L);
            assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(7L);
            assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(8L);
            assertThat(orders.next(Duration.ofMillis(10))).isEmpty();
            assertThat(orders.position()).isEqualTo(8);
            orders.close();
            gone.await();

            assertThat(orders.next(SOON)).isEmpty();
            assertThat(server.paths())
                    .containsExactly(
                            "/v1/history/stream?destination=topic%3Aorders&after=3",
                            "/v1/history/stream?destination=topic%3Aorders&after=4",
                            "/v1/history/stream?destination=topic%3Aorders&after=5",
                            "/v1/history/stream?destination=topic%3Aorders&after=5");
        }
    }

    @Test
    void a_stream_that_is_refused_says_why() throws Exception {
        try (ScriptedServer server = new ScriptedServer(ScriptedServer.refuse(404, "not_found"));
                EventStream<Messages.Entry> orders = follow(server, 0)) {
            assertThatThrownBy(() -> orders.next(SOON))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.code()).isEqualTo("not_found"));
        }
    }

    @Test
    void a_server_that_is_away_for_too_long_can_be_asked_again() throws Exception {
        Signal gone = new Signal("the client hangs up");
        ScriptedServer.Turn busy = ScriptedServer.refuse(503, "stopping");
        try (ScriptedServer server = new ScriptedServer(
                        busy, busy, busy, busy, busy, busy, ScriptedServer.fallSilentAfter(event(1), gone));
                EventStream<Messages.Entry> orders = follow(server, 0)) {
            assertThatThrownBy(() -> orders.next(SOON)).isInstanceOf(UnavailableException.class);

            assertThat(comesBack(orders)).map(Messages.Entry::position).contains(1L);
        }
    }

    /** However many of the refusals the first call has used up. */
    private static Optional<Messages.Entry> comesBack(EventStream<Messages.Entry> orders) {
        while (true) {
            try {
                return orders.next(SOON);
            } catch (UnavailableException e) {
                assertThat(orders.isOver()).isFalse();
            }
        }
    }

    @Test
    void a_job_is_followed_until_nothing_can_come_any_more() throws Exception {
        UUID job = UUID.fromString("00000000-0000-7000-8000-000000000001");
        try (ScriptedServer server = new ScriptedServer(
                        page(job, eventOf(1, "accepted")),
                        page(job, ""),
                        status(job, "open"),
                        page(job, ""),
                        status(job, "completed"),
                        page(job, eventOf(2, "closed")),
                        page(job, ""),
                        status(job, "completed"));
                EventStream<EventPage.Event> events =
                        new TallyClient(server.address(), "t").jobs().follow(job, Jobs.BEGINNING)) {
            assertThat(events).extracting(EventPage.Event::event).containsExactly("accepted", "closed");
            assertThat(events.isOver()).isTrue();
            assertThat(events.position()).isEqualTo(2);
        }
    }

    private static String eventOf(long position, String event) {
        return "{\"position\":" + position + ",\"event\":\"" + event + "\",\"at\":\"2030-01-31T12:00:00Z\"}";
    }

    private static ScriptedServer.Turn page(UUID job, String event) {
        return ScriptedServer.answer(200, "{\"job_id\":\"" + job + "\",\"events\":[" + event + "],\"next\":0}");
    }

    private static ScriptedServer.Turn status(UUID job, String status) {
        return ScriptedServer.answer(
                200,
                "{\"job_id\":\"" + job + "\",\"workflow\":\"w\",\"version\":1,\"priority\":\"next\",\"status\":\""
                        + status + "\",\"created_at\":\"2030-01-31T12:00:00Z\"}");
    }
}
