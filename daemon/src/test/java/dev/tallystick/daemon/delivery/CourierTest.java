package dev.tallystick.daemon.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.daemon.outbox.Acceptance;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.OutboxSettings;
import dev.tallystick.daemon.outbox.OutboxState;
import dev.tallystick.daemon.outbox.RequestReader;
import dev.tallystick.daemon.outbox.Requeue;
import dev.tallystick.daemon.outbox.SendLimits;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SettableClock;
import dev.tallystick.testkit.Signal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which rows are sent when, and which answers settle them, where a real server cannot be made to give these answers at these
 * moments. {@link dev.tallystick.daemon.DeliveryTest} has a real one.
 */
class CourierTest {

    private static final Backoff QUICK = new Backoff(Duration.ofMillis(5), Duration.ofMillis(50));

    @TempDir
    Path folder;

    private final SettableClock clock = SettableClock.at("2030-01-01T00:00:00Z");
    private final ScriptedUpstream server = new ScriptedUpstream();
    private final Random random = new Random(1);
    private final Ids ids = new Ids(clock, random);
    private Outbox outbox;
    private Courier courier;
    private RequestReader reader;

    @BeforeEach
    void open() {
        outbox = Outbox.open(folder, OutboxSettings.DEFAULT, clock, ids, CrashPoints.NONE);
        reader = new RequestReader(() -> SendLimits.USUAL, outbox::newKey);
        courier = courier();
    }

    private Courier courier() {
        return new Courier(
                outbox,
                server,
                CourierSettings.DEFAULT.withBackoff(QUICK).withBatch(10),
                clock,
                random,
                CrashPoints.NONE,
                DeliveryListener.NONE);
    }

    @AfterEach
    void close() {
        courier.close();
        outbox.close();
    }

    @Test
    void rows_of_one_destination_arrive_in_their_order_whatever_happens_to_each() {
        List<String> keys = IntStream.range(0, 60).mapToObj(i -> "k" + i).toList();
        keys.forEach(key -> send("topic:a", key));
        server.answers(attempt -> {
            boolean isTrouble = attempt.number() == 1 && attempt.row().position() % 7 == 3;
            return isTrouble || hasEarlierUnaccepted(keys, attempt) ? ScriptedUpstream.notNow() : attempt.accept();
        });

        courier.start();

        awaitState("k59", OutboxState.DONE);
        assertThat(server.accepted()).isEqualTo(keys);
    }

    /** As a server does: after one that it cannot take now, it takes no later one to the same destination. */
    private boolean hasEarlierUnaccepted(List<String> keys, ScriptedUpstream.Attempt attempt) {
        return !server.accepted().containsAll(keys.subList(0, keys.indexOf(attempt.key())));
    }

    @Test
    void a_stuck_destination_holds_up_no_other() {
        send("topic:stuck", "stuck");
        send("topic:free", "free");
        server.answers(attempt -> attempt.key().equals("stuck") ? ScriptedUpstream.notNow() : attempt.accept());

        courier.start();

        awaitState("free", OutboxState.DONE);
        Eventually.holds("it is tried again", () -> server.attempts("stuck") > 3);
        assertThat(row("stuck").state()).isEqualTo(OutboxState.INFLIGHT);
    }

    @Test
    void a_destination_whose_requests_hang_holds_up_no_other() {
        Signal released = new Signal("the request ends");
        send("topic:hangs", "hangs");
        // Its turn comes after the other.
        send("topic:passes", "passes");
        server.answers(attempt -> {
            if (attempt.key().equals("hangs")) {
                released.await();
            }
            return attempt.accept();
        });

        courier.start();

        awaitState("passes", OutboxState.DONE);
        assertThat(row("hangs").state()).isEqualTo(OutboxState.INFLIGHT);
        released.fire();
        awaitState("hangs", OutboxState.DONE);
    }

    @Test
    void jobs_pass_those_that_cannot_be_accepted_now() {
        for (int i = 0; i < 15; i++) {
            send("workflow:order", "job" + i);
        }
        server.answers(attempt ->
                attempt.key().equals("job0") && attempt.number() < 5 ? ScriptedUpstream.notNow() : attempt.accept());

        courier.start();

        awaitState("job14", OutboxState.DONE);
        clock.advance(Duration.ofMinutes(1));
        awaitState("job0", OutboxState.DONE);
    }

    @Test
    void after_an_unknown_attempt_a_refusal_that_proves_nothing_leaves_the_outcome_unknown() {
        send("topic:a", "k");
        server.answers(
                attempt -> attempt.number() == 1 ? ScriptedUpstream.lostReply() : refused(ProblemCode.UNKNOWN_TOPIC));

        courier.start();

        awaitState("k", OutboxState.DEAD);
        assertThat(row("k").lastError()).startsWith("outcome_unknown: ").contains("unknown_topic");
        assertThat(requeue("k", "again", false)).isInstanceOf(Requeue.MayHaveArrived.class);
        assertThat(requeue("k", "again", true)).isInstanceOf(Requeue.Requeued.class);
    }

    @Test
    void after_an_unknown_attempt_a_refusal_that_holds_for_every_attempt_is_definite() {
        send("topic:a", "k");
        server.answers(attempt -> attempt.number() == 1
                ? ScriptedUpstream.lostReply()
                : new SendOutcome.Refused(ProblemCode.PAYLOAD_TOO_LARGE, "too large", true));

        courier.start();

        awaitState("k", OutboxState.DEAD);
        assertThat(row("k").lastError()).startsWith("payload_too_large: ");
        assertThat(requeue("k", "again", false)).isInstanceOf(Requeue.Requeued.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = ProblemCode.class,
            names = {
                "NOT_FOUND",
                "METHOD_NOT_ALLOWED",
                "REQUEST_IN_PROGRESS",
                "OVER_LIMIT",
                "REQUEST_TIMEOUT",
                "BUSY",
                "INTERNAL_ERROR"
            })
    void these_answers_kill_nothing(ProblemCode code) {
        send("topic:a", "k");
        server.answers(attempt -> attempt.number() < 3 ? refused(code) : attempt.accept());

        courier.start();

        awaitState("k", OutboxState.DONE);
    }

    @ParameterizedTest
    @EnumSource(
            value = ProblemCode.class,
            names = {"UNAUTHENTICATED", "FORBIDDEN"})
    void a_token_that_is_refused_pauses_delivery_until_it_is_accepted_again(ProblemCode code) {
        send("topic:a", "k");
        server.answers(attempt -> {
            server.meets(new Upstream.Meeting.Refused(code, "the token has expired"));
            return refused(code);
        });

        courier.start();

        Eventually.holds("it pauses", () -> courier.state().kind() == DeliveryState.Kind.PAUSED);
        assertThat(courier.state().code()).isEqualTo(code.word());
        awaitState("k", OutboxState.PENDING);
        int attempts = server.attempts("k");
        server.answers(ScriptedUpstream.Attempt::accept);
        server.meets(new Upstream.Meeting.Met(ScriptedUpstream.FACTS));
        awaitState("k", OutboxState.DONE);
        assertThat(server.attempts("k")).isEqualTo(attempts + 1);
        assertThat(courier.state().kind()).isEqualTo(DeliveryState.Kind.DELIVERING);
    }

    /** A server refuses such settings; an older or a foreign one may not. */
    static Stream<Upstream.Meeting> withServersThatCannotKeepThePromise() {
        return Stream.of(
                new Upstream.Meeting.Met(facts(ServerFacts.REQUIRED_MODE, MaximumAge.LEAST_RETENTION_DAYS - 1)),
                new Upstream.Meeting.Met(facts("best_effort", 365)),
                new Upstream.Meeting.Unsuitable("it is too old"));
    }

    private static ServerFacts facts(String mode, int days) {
        return new ServerFacts("installation-1", "default", "laptop", mode, days, SendLimits.USUAL);
    }

    @ParameterizedTest
    @MethodSource("withServersThatCannotKeepThePromise")
    void a_server_that_cannot_keep_the_promise_gets_nothing(Upstream.Meeting meeting) {
        send("topic:a", "k");
        server.meets(meeting);

        courier.start();

        Eventually.holds("it pauses", () -> courier.state().kind() == DeliveryState.Kind.PAUSED);
        assertThat(courier.state().code()).isEqualTo(DeliveryState.SERVER_UNSUITABLE);
        assertThat(server.attempts("k")).isZero();
    }

    @Test
    void the_servers_last_word_on_its_limits_counts_while_it_cannot_be_reached() {
        SendLimits small = new SendLimits(1_000, 2_000);
        server.meets(new Upstream.Meeting.Met(
                new ServerFacts("installation-1", "default", "laptop", ServerFacts.REQUIRED_MODE, 365, small)));
        courier.start();
        Eventually.holds("they have met", () -> courier.state().isDelivering());
        courier.close();

        courier = courier();

        assertThat(courier.limits()).isEqualTo(small);
        assertThat(courier.server()).map(ServerFacts::installation).contains("installation-1");
    }

    @Test
    void the_pause_that_the_server_asks_for_is_kept() {
        send("topic:later", "later");
        send("topic:soon", "soon");
        send("workflow:order", "later job");
        send("workflow:order", "job");
        server.answers(attempt -> switch (attempt.key()) {
            case "soon" -> ScriptedUpstream.notNow();
            case "job" -> attempt.accept();
            default -> new SendOutcome.NotNow(false, true, "over_limit", Duration.ofDays(1));
        });

        courier.start();

        Eventually.holds("the other is tried again and again", () -> server.attempts("soon") > 20);
        awaitState("job", OutboxState.DONE);
        assertThat(server.attempts("later")).isEqualTo(1);
        assertThat(server.attempts("later job")).isEqualTo(1);
    }

    @Test
    void a_changed_bit_in_a_payload_is_never_sent() throws SQLException {
        send("topic:a", "first");
        send("topic:a", "second");
        send("topic:a", "third");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(Outbox.FILE));
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "update outbox set payload = cast(replace(cast(payload as text), 'second', 'secone') as blob)");
        }

        courier.start();

        awaitState("third", OutboxState.DONE);
        assertThat(server.accepted()).containsExactly("first", "third");
        assertThat(server.attempts("second")).isZero();
        assertThat(row("second").state()).isEqualTo(OutboxState.DEAD);
        assertThat(row("second").lastError()).startsWith("row_damaged: ");
        assertThat(requeue("second", "again", true)).isInstanceOf(Requeue.Damaged.class);
    }

    @Test
    void failed_rounds_write_nothing() {
        send("topic:a", "k");
        server.answers(attempt -> ScriptedUpstream.lostReply());
        courier.start();
        Eventually.holds("it is tried", () -> server.attempts("k") > 1);
        OutboxRow before = row("k");

        int attempts = server.attempts("k");
        Eventually.holds("it is tried again", () -> server.attempts("k") > attempts + 3);

        assertThat(row("k")).isEqualTo(before);
    }

    @Test
    void a_row_that_only_waits_for_its_next_attempt_can_be_requeued_by_force() {
        send("topic:a", "k");
        server.answers(attempt -> ScriptedUpstream.lostReply());
        courier.start();
        Eventually.holds("it is tried", () -> server.attempts("k") > 1);

        Eventually.holds(
                "it is released", () -> courier.release(row("k").id()) || row("k").state() == OutboxState.PENDING);
        Eventually.holds("it is requeued", () -> {
            courier.release(row("k").id());
            return requeue("k", "again", true) instanceof Requeue.Requeued;
        });
        server.answers(ScriptedUpstream.Attempt::accept);
        awaitState("again", OutboxState.DONE);
        assertThat(row("k").state()).isEqualTo(OutboxState.ABORTED);
        assertThat(row("k").abortedBy()).isEqualTo("operator");
    }

    private static SendOutcome refused(ProblemCode code) {
        return new SendOutcome.Refused(code, code.title(), false);
    }

    private void send(String to, String key) {
        Json body = new Json.ObjectValue(
                Map.of("to", Json.of(to), "message", Json.of(key), "client_message_id", Json.of(key)));
        assertThat(outbox.accept(reader.send(body, null, null))).isInstanceOf(Acceptance.Queued.class);
    }

    private Requeue requeue(String key, String fresh, boolean force) {
        return outbox.requeue(new Requeue.Wish(row(key).id(), new IdempotencyKey(fresh), null, force));
    }

    private OutboxRow row(String key) {
        return outbox.findByKey(new IdempotencyKey(key)).orElseThrow();
    }

    private void awaitState(String key, OutboxState state) {
        Eventually.value(key + " is " + state.word(), () -> row(key).state(), state::equals);
    }
}
