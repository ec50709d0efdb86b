package dev.tallystick.daemon;

import dev.tallystick.broker.BrokerSettings;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.client.Messages;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Role;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import dev.tallystick.testkit.ChildJvm;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real server, always on the same port, that can be stopped and started: on a test's own database, or as the extension of a
 * class, whose tests share it.
 */
public final class RealServer implements AutoCloseable, BeforeAllCallback, AfterAllCallback {

    private static final Limiter.Budget PLENTY = new Limiter.Budget(10_000_000, Duration.ofSeconds(10));

    private final int port = freePort();
    private String url;
    private Path data;
    private TallyServer server;

    @SuppressWarnings("NullAway.Init") // on or beforeAll start it before it is used
    private RealServer() {}

    public static RealServer on(TestPostgres postgres, Path data) {
        RealServer server = new RealServer();
        server.start(postgres.url(), data);
        return server;
    }

    /** For {@code @RegisterExtension}: one server for all tests of the class. */
    public static RealServer perClass() {
        return new RealServer();
    }

    private void start(String on, Path in) {
        url = on;
        data = in;
        restart();
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        TestPostgres postgres = TestPostgres.perClass();
        postgres.beforeAll(context);
        start(postgres.url(), Files.createTempDirectory("tally-server"));
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        close();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ServerSettings settings(String url, Path data, int port) {
        return ServerSettings.of(data, Map.of())
                .at(ServerSettings.LOOPBACK, port)
                .on(url)
                .withConnections(ServerSettings.FEWEST_CONNECTIONS)
                .withSamples(true)
                .withBudget(PLENTY)
                .withBroker(BrokerSettings.DEFAULT.withPoll(Duration.ofMillis(100)));
    }

    int port() {
        return port;
    }

    public URI address() {
        return server.address();
    }

    String adminToken() {
        try {
            return Files.readString(server.adminToken()).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public TallyClient admin() {
        return new TallyClient(address(), adminToken());
    }

    /** The token of a new member. */
    public String member(String name) {
        admin().members().put(name, Role.MEMBER);
        return admin().tokens().issue(name, null).token();
    }

    void stop() {
        server.close();
    }

    void restart() {
        server = TallyServer.start(settings(url, data, port));
    }

    /** Stops, and serves from a process of its own instead. */
    ChildJvm moveOut() {
        stop();
        ChildJvm child = ChildJvm.of(ServerChild.class).start(url, data.toString(), Integer.toString(port));
        child.awaitLine(line -> line.startsWith(ServerChild.READY));
        return child;
    }

    /** Whether every receiver of the message with this key has acknowledged it. Looks only: who leases takes it away. */
    public boolean isAcknowledged(String key) {
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement query = connection.prepareStatement("""
                        select bool_and(d.done_at is not null)
                        from tally.delivery d
                        join tally.message m on m.id = d.message_id
                        where m.key = ?
                        """)) {
            query.setString(1, key);
            try (ResultSet result = query.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The texts that a topic has received, in the order of the history. */
    public List<String> history(String topic) {
        List<String> texts = new ArrayList<>();
        long position = Messages.BEGINNING;
        while (true) {
            Messages.Page page =
                    admin().messages().history(new Destination(Destination.Kind.TOPIC, topic), position, 500);
            if (page.entries().isEmpty()) {
                return texts;
            }
            page.entries()
                    .forEach(entry -> texts.add(String.valueOf(entry.message().key())));
            position = page.next();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
