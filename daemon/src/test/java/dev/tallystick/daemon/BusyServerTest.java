package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.core.Opened;
import dev.tallystick.daemon.delivery.Backoff;
import dev.tallystick.daemon.delivery.Courier;
import dev.tallystick.daemon.delivery.CourierSettings;
import dev.tallystick.daemon.delivery.DeliveryListener;
import dev.tallystick.daemon.delivery.SendOutcome;
import dev.tallystick.daemon.delivery.ServerFacts;
import dev.tallystick.daemon.delivery.Upstream;
import dev.tallystick.daemon.inbox.Inbox;
import dev.tallystick.daemon.local.LocalClient;
import dev.tallystick.daemon.local.LocalRoutes;
import dev.tallystick.daemon.local.LocalServer;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.OutboxSettings;
import dev.tallystick.daemon.outbox.OutboxState;
import dev.tallystick.daemon.outbox.RequestReader;
import dev.tallystick.daemon.outbox.SendLimits;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.SettableClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the daemon says and does while a server is there and takes nothing. */
class BusyServerTest {

    private static final CourierSettings QUICK =
            CourierSettings.DEFAULT.withBackoff(new Backoff(Duration.ofMillis(5), Duration.ofMillis(50)));

    private final SettableClock clock = SettableClock.at("2030-01-01T00:00:00Z");
    private final Opened opened = new Opened();
    private final AtomicBoolean takes = new AtomicBoolean();
    private final List<String> taken = new CopyOnWriteArrayList<>();

    @TempDir
    Path folder;

    private Path directory;
    private Outbox outbox;
    private Courier courier;
    private DaemonStatus status;

    @BeforeEach
    void open() throws IOException {
        Random random = new Random(1);
        Ids ids = new Ids(clock, random);
        DaemonDirectory own = opened.add(DaemonDirectory.open(folder.resolve("d")));
        directory = own.path();
        outbox = opened.add(Outbox.open(directory, OutboxSettings.DEFAULT, clock, ids, CrashPoints.NONE));
        Inbox inbox = opened.add(Inbox.open(directory, clock, CrashPoints.NONE));
        courier = opened.add(
                new Courier(outbox, new Busy(), QUICK, clock, random, CrashPoints.NONE, DeliveryListener.NONE));
        Identity identity = Identity.of(own, DaemonSettings.ClonePolicy.REFUSE, CrashPoints.NONE);
        status = new DaemonStatus(outbox, inbox, courier, identity, clock, "1");
        RequestReader reader = new RequestReader(courier::limits, outbox::newKey);
        opened.add(new LocalServer(directory, null, "token", new LocalRoutes(outbox, reader, status)));
        assertThat(DaemonUnderTest.send(directory, "k", message("topic:a", "x")).status())
                .isEqualTo(202);
    }

    @AfterEach
    void close() {
        opened.close();
    }

    @Test
    void a_daemon_that_forwards_nothing_is_not_healthy_although_it_is_connected() {
        assertThat(delivery()).isEqualTo("offline");
        assertThat(status.health().isHealthy()).isFalse();

        courier.start();
        Eventually.holds("it is connected", () -> delivery().equals("delivering"));
        assertThat(status.health().isHealthy()).isTrue();

        clock.advance(Duration.ofSeconds(90));
        assertThat(delivery()).isEqualTo("stuck");
        assertThat(status.health().isHealthy()).isFalse();
        assertThat(status.health().details().members()).containsEntry("oldest_seconds", Json.of(90));
        assertThat(status.metrics()).contains("tally_daemon_healthy 0\n", "tally_outbox_oldest_seconds 90\n");

        takes.set(true);
        Eventually.holds("it is delivered", () -> delivery().equals("delivering"));
        assertThat(status.health().isHealthy()).isTrue();
        assertThat(status.metrics()).contains("tally_daemon_healthy 1\n", "tally_outbox_delivered_total 1\n");
    }

    @Test
    void a_row_between_two_attempts_can_be_requeued_without_force_if_it_cannot_have_arrived() {
        courier.start();
        Eventually.holds("it is in flight", () -> row("k").state() == OutboxState.INFLIGHT);

        LocalClient.Reply requeued = Eventually.value(
                "it is requeued",
                () -> DaemonUnderTest.post(
                        directory,
                        "/v1/outbox/" + row("k").id() + "/requeue",
                        new Json.ObjectValue(Map.of("new_client_message_id", Json.of("fresh")))),
                reply -> reply.status() == 200);

        assertThat(row("k").supersededBy()).isEqualTo(text(requeued, "id"));
        takes.set(true);
        Eventually.holds("it is delivered", () -> row("fresh").state() == OutboxState.DONE);
        assertThat(taken).containsExactly("fresh");
    }

    private String delivery() {
        return text(DaemonUnderTest.get(directory, "/v1/health"), "delivery");
    }

    private OutboxRow row(String key) {
        return outbox.findByKey(new IdempotencyKey(key)).orElseThrow();
    }

    /** A server that is busy until the test lets it take what comes. */
    private final class Busy implements Upstream {

        @Override
        public Meeting meet() {
            return new Meeting.Met(new ServerFacts(
                    "installation-1", "default", "laptop", ServerFacts.REQUIRED_MODE, 365, SendLimits.USUAL));
        }

        @Override
        public Meeting introduce(ServerFacts facts) {
            return new Meeting.Met(facts);
        }

        @Override
        public List<SendOutcome> send(List<OutboxRow> rows) {
            return rows.stream().map(this::answer).toList();
        }

        private SendOutcome answer(OutboxRow row) {
            if (!takes.get()) {
                return new SendOutcome.NotNow(false, true, "busy", Duration.ZERO);
            }
            taken.add(row.key().value());
            return new SendOutcome.Accepted("m", "h");
        }
    }
}
