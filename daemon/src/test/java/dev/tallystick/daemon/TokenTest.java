package dev.tallystick.daemon;

import static dev.tallystick.daemon.DaemonUnderTest.message;
import static dev.tallystick.daemon.DaemonUnderTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.RefusedException;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Json;
import dev.tallystick.core.api.MemberApi.MemberView;
import dev.tallystick.daemon.delivery.DeliveryState;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.Eventually;
import dev.tallystick.testkit.TestPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A token that expires or belongs to someone else stops delivery, and costs nothing. */
class TokenTest {

    @RegisterExtension
    static final TestPostgres POSTGRES = TestPostgres.perTest();

    @TempDir
    Path folder;

    @Test
    void a_revoked_token_pauses_delivery_and_another_member_gets_nothing() {
        Path directory = folder.resolve("d");
        try (RealServer server = RealServer.on(POSTGRES, folder.resolve("server"))) {
            server.admin().topics().create("t");
            AtomicReference<String> token = new AtomicReference<>(server.member("laptop"));
            String renewed = server.member("laptop");
            String foreign = server.member("other");
            DaemonSettings settings = DaemonSettings.of(directory, server.address(), token::get)
                    .withCourier(DaemonUnderTest.QUICK)
                    .receiving(false);
            try (Daemon daemon = Daemon.start(settings)) {
                send(directory, "first");
                OfflineTest.awaitNothingKept(directory);
                assertThat(new TallyClient(server.address(), renewed).devices().list())
                        .as("the daemon is registered as a device")
                        .hasSize(1);

                TallyClient admin = server.admin();
                String id = admin.tokens().list("laptop").stream()
                        .filter(each -> token.get().contains(each.id()))
                        .findFirst()
                        .orElseThrow()
                        .id();
                admin.tokens().revoke(id);
                send(directory, "second");
                awaitPause(daemon, "unauthenticated");
                token.set(foreign);
                awaitPause(daemon, DeliveryState.SERVER_CHANGED);
                assertThat(DaemonUnderTest.get(directory, "/v1/health").status())
                        .isEqualTo(503);
                assertThat(server.history("t")).containsExactly("first");

                token.set(renewed);
                OfflineTest.awaitNothingKept(directory);
                assertThat(server.history("t")).containsExactly("first", "second");
                assertThat(daemon.status().health().details().members()).containsEntry("dead", Json.of(0));
            }
        }
    }

    @Test
    void a_token_that_expires_while_the_process_is_stopped_pauses_delivery_until_it_is_renewed() throws Exception {
        Path directory = folder.resolve("d");
        try (RealServer server = RealServer.on(POSTGRES, folder.resolve("server"));
                ReplyLosingProxy proxy = new ReplyLosingProxy(server.port(), () -> false)) {
            server.admin().topics().create("asleep");
            String token = server.member("sleeper");
            Path file = Files.writeString(folder.resolve("token"), token);
            try (ChildJvm child = ChildJvm.of(DaemonChild.class)
                    .start(directory.toString(), proxy.address().toString(), "@" + file, "false")) {
                child.awaitLine(DaemonChild.READY::equals);
                send(directory, "topic:asleep", "before");
                OfflineTest.awaitNothingKept(directory);

                child.pause();
                try (Connection connection = POSTGRES.dataSource().getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.executeUpdate("update tally.token set expires_at = now() where member = 'sleeper'");
                }
                Eventually.holds("the server refuses the token", () -> isRefused(server, token));
                proxy.cut();
                child.resume();

                send(directory, "topic:asleep", "after");
                Eventually.value(
                        "it pauses",
                        () -> DaemonUnderTest.get(directory, "/v1/health"),
                        health -> text(health, "code").equals("unauthenticated"));
                Files.writeString(file, server.member("sleeper"));
                OfflineTest.awaitNothingKept(directory);
                assertThat(DaemonUnderTest.get(directory, "/v1/health").json().members())
                        .containsEntry("dead", Json.of(0));
            }
            assertThat(server.history("asleep")).containsExactly("before", "after");
        }
    }

    private static boolean isRefused(RealServer server, String token) {
        try {
            MemberView unused =
                    new TallyClient(server.address(), token).members().me();
            return false;
        } catch (RefusedException e) {
            return e.code().equals("unauthenticated");
        }
    }

    private static void send(Path directory, String to, String key) {
        assertThat(DaemonUnderTest.send(directory, key, message(to, key)).status())
                .isEqualTo(202);
    }

    private static void send(Path directory, String key) {
        send(directory, "topic:t", key);
    }

    private static void awaitPause(Daemon daemon, String code) {
        Eventually.holds(
                "it pauses because of " + code,
                () -> code.equals(daemon.delivery().code()));
    }
}
