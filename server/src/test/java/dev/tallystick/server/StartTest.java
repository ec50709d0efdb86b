package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.testkit.CommitFate;
import dev.tallystick.testkit.TcpProxy;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server that starts while its Postgres is not there yet. A wait without an end fails. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StartTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    Path data;

    private static InetSocketAddress address() {
        URI url = URI.create(postgres.url().substring("jdbc:".length()));
        return new InetSocketAddress(url.getHost(), url.getPort());
    }

    private ServerSettings through(int port) {
        String url = postgres.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + port + "/");
        return ServerUnderTest.settings(url, data);
    }

    @Test
    void it_waits_for_a_postgres_that_recovers() throws IOException {
        try (Recovering recovering = new Recovering(3);
                TallyServer server = TallyServer.start(through(recovering.port()), PATIENCE)) {
            assertThat(new Http(server.address(), "").get("/health/ready").status())
                    .isEqualTo(200);
            assertThat(recovering.refused.get()).isEqualTo(3);
        }
    }

    @Test
    void it_begins_anew_when_the_postgres_dies_before_it_listens() {
        try (TcpProxy proxy = postgres.proxy()) {
            proxy.onNextCommit(CommitFate.CUT_BEFORE);
            try (TallyServer server = TallyServer.start(through(proxy.port()), PATIENCE)) {
                assertThat(proxy.commits(CommitFate.CUT_BEFORE)).isEqualTo(1);
                assertThat(new Http(server.address(), "").get("/health/ready").status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void it_does_not_wait_longer_than_it_is_told_to() throws IOException {
        try (Recovering recovering = new Recovering(Integer.MAX_VALUE)) {
            assertThatThrownBy(() -> TallyServer.start(through(recovering.port()), Duration.ofMillis(1)))
                    .isInstanceOf(NoDatabaseException.class)
                    .hasMessageContaining("in recovery mode");
        }
    }

    @Test
    void it_does_not_wait_for_a_password_to_become_right() {
        String wrong = postgres.url().replaceFirst("password=[^&]+", "password=wrong");

        assertThatThrownBy(() -> TallyServer.start(ServerUnderTest.settings(wrong, data), Duration.ofDays(1)))
                .isInstanceOf(NoDatabaseException.class)
                .hasMessageContaining("password authentication failed");
    }

    /** Says that it recovers to the first who connect, as Postgres does, and leads the others to the real one. */
    private static final class Recovering implements AutoCloseable {

        private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int refusals;
        private final AtomicInteger refused = new AtomicInteger();

        Recovering(int refusals) throws IOException {
            this.refusals = refusals;
            Thread.ofVirtual().start(this::accept);
        }

        int port() {
            return listener.getLocalPort();
        }

        private void accept() {
            while (true) {
                try {
                    Socket client = listener.accept();
                    if (refused.get() < refusals) {
                        refuse(client);
                    } else {
                        Socket server = new Socket();
                        server.connect(address());
                        pump(client, server);
                        pump(server, client);
                    }
                } catch (IOException closed) {
                    return;
                }
            }
        }

        private void refuse(Socket client) throws IOException {
            byte[] fields = "SFATAL\0VFATAL\0C57P03\0Mthe database system is in recovery mode\0\0"
                    .getBytes(StandardCharsets.US_ASCII);
            try (client) {
                int unused = client.getInputStream().read(new byte[8192]);
                refused.incrementAndGet();
                client.getOutputStream().write('E');
                client.getOutputStream().write(new byte[] {0, 0, 0, (byte) (fields.length + 4)});
                client.getOutputStream().write(fields);
            }
        }

        private static void pump(Socket from, Socket to) {
            Thread.ofVirtual().start(() -> {
                try (from;
                        to) {
                    from.getInputStream().transferTo(to.getOutputStream());
                } catch (IOException gone) {
                    // The other side has heard it, or will.
                }
            });
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
