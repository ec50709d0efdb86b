package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.daemon.delivery.DeliveryState;
import dev.tallystick.daemon.outbox.OutboxRow;
import dev.tallystick.daemon.outbox.OutboxState;
import dev.tallystick.daemon.outbox.Requeue;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the answers of a real server do to rows. */
class DeliveryTest {

    @RegisterExtension
    static final TestPostgres POSTGRES = TestPostgres.perTest();

    @TempDir
    Path folder;

    private RealServer server;
    private String token;

    @BeforeEach
    void start() {
        server = RealServer.on(POSTGRES, folder.resolve("server"));
        server.admin().topics().create("a");
        token = server.member("laptop");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Path directory() {
        return folder.resolve("d");
    }

    private DaemonSettings settings() {
        return DaemonUnderTest.settings(directory(), server.address(), token);
    }

    @Test
    void a_dead_row_does_not_block_the_next_and_keeps_its_content() {
        try (Daemon daemon = DaemonUnderTest.offline(directory())) {
            send("topic:a", "first");
            send("topic:unknown", "bad");
            send("topic:unknown", "worse");
            send("topic:a", "last");
            assertThat(daemon.outbox().list(null, 0, 10)).hasSize(4);
        }
        try (Daemon daemon = Daemon.start(settings())) {
            OfflineTest.awaitNothingKept(directory());
            for (String key : new String[] {"bad", "worse"}) {
                OutboxRow dead = row(daemon, key);
                assertThat(dead.state()).isEqualTo(OutboxState.DEAD);
                assertThat(dead.lastError()).startsWith("unknown_topic: ");
                assertThat(dead.content()).isNotNull();
            }
            server.admin().topics().create("unknown");
            assertThat(daemon.outbox()
                            .requeue(new Requeue.Wish(
                                    row(daemon, "bad").id(), new IdempotencyKey("better"), null, false)))
                    .isInstanceOf(Requeue.Requeued.class);
            OfflineTest.awaitNothingKept(directory());
        }
        assertThat(server.history("a")).containsExactly("first", "last");
        assertThat(server.history("unknown")).containsExactly("better");
    }

    @Test
    void another_installation_at_the_same_address_gets_nothing() throws SQLException {
        deliver("first");
        server.stop();
        sql("update tally.installation set id = gen_random_uuid()");
        server.restart();
        try (Daemon daemon = Daemon.start(settings())) {
            send("topic:a", "second");
            awaitServerChanged(daemon);
        }
        assertThat(server.history("a")).containsExactly("first");
    }

    @Test
    void another_mesh_of_the_same_server_gets_nothing() {
        deliver("first");
        server.admin().meshes().create("other");
        String admin =
                server.admin().meshes().adminToken("other", Duration.ofHours(1)).token();
        new TallyClient(server.address(), admin).topics().create("a");
        try (Daemon daemon = Daemon.start(DaemonUnderTest.settings(directory(), server.address(), admin))) {
            send("topic:a", "second");
            awaitServerChanged(daemon);
            assertThat(row(daemon, "second").attempts()).isZero();
        }
        assertThat(server.history("a")).containsExactly("first");
    }

    @Test
    void a_row_whose_reply_was_lost_too_long_ago_is_dead_and_its_outcome_unknown() throws Exception {
        AtomicBoolean loses = new AtomicBoolean();
        try (ReplyLosingProxy proxy = new ReplyLosingProxy(server.port(), loses::get)) {
            DaemonSettings settings = DaemonUnderTest.settings(directory(), proxy.address(), token);
            try (Daemon daemon = Daemon.start(settings)) {
                Eventually.holds("it delivers", () -> daemon.delivery().isDelivering());
                loses.set(true);
                send("topic:a", "lost");
                Eventually.holds("the server has it", () -> server.history("a").contains("lost"));
                Eventually.holds("it is offline", () -> !daemon.delivery().isDelivering());
                send("topic:b", "unattempted");
            }
            loses.set(false);
            server.admin().topics().create("b");
            Clock later = Clock.offset(Clock.systemUTC(), Duration.ofDays(400));
            try (Daemon daemon = Daemon.start(settings.withClock(later))) {
                OfflineTest.awaitNothingKept(directory());
                OutboxRow lost = row(daemon, "lost");
                assertThat(lost.state()).isEqualTo(OutboxState.DEAD);
                assertThat(lost.lastError()).startsWith("outcome_unknown: ");
                assertThat(daemon.outbox()
                                .requeue(new Requeue.Wish(lost.id(), new IdempotencyKey("again"), null, false)))
                        .isInstanceOf(Requeue.MayHaveArrived.class);
                assertThat(row(daemon, "unattempted").state()).isEqualTo(OutboxState.DONE);
            }
        }
        assertThat(server.history("a")).containsExactly("lost");
        assertThat(server.history("b")).containsExactly("unattempted");
    }

    private void deliver(String key) {
        try (Daemon daemon = Daemon.start(settings())) {
            send("topic:a", key);
            OfflineTest.awaitNothingKept(directory());
            assertThat(row(daemon, key).state()).isEqualTo(OutboxState.DONE);
        }
    }

    private void send(String to, String key) {
        assertThat(DaemonUnderTest.send(directory(), key, message(to, key)).status())
                .isEqualTo(202);
    }

    private static OutboxRow row(Daemon daemon, String key) {
        return daemon.outbox().findByKey(new IdempotencyKey(key)).orElseThrow();
    }

    private static void awaitServerChanged(Daemon daemon) {
        Eventually.holds(
                "it pauses",
                () -> DeliveryState.SERVER_CHANGED.equals(daemon.delivery().code()));
    }

    private static void sql(String statement) throws SQLException {
        try (Connection connection = POSTGRES.dataSource().getConnection();
                Statement run = connection.createStatement()) {
            run.execute(statement);
        }
    }
}
