package dev.tallystick.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tallystick.bench.Contender.Round;
import dev.tallystick.broker.accept.Limiter;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Json;
import dev.tallystick.daemon.Daemon;
import dev.tallystick.daemon.DaemonSettings;
import dev.tallystick.daemon.local.LocalServer;
import dev.tallystick.daemon.outbox.NewRow;
import dev.tallystick.daemon.outbox.Outbox;
import dev.tallystick.daemon.outbox.OutboxSettings;
import dev.tallystick.daemon.outbox.RequestReader;
import dev.tallystick.daemon.outbox.SendLimits;
import dev.tallystick.daemon.storage.GroupWriter;
import dev.tallystick.server.ServerSettings;
import dev.tallystick.server.TallyServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A daemon: durable accepts over its socket against bare SQLite with the same group commit, with an empty outbox and with a
 * million rows in it; and the delivery of a backlog to one topic against the server's own rate of first submissions.
 */
final class DaemonSuite implements Suite {

    private static final int CALLERS = 32;
    private static final int BACKLOG = 120_000;
    private static final int MANY = 1_000_000;
    private static final String TEXT = "a message of some length, as people send them: the disk of host 42 is full";
    private static final String BARE = "sqlite.group.c32";
    private static final String ACCEPT = "tally.accept.c32";
    private static final String FIRST = "server.first.c64";

    private final Deque<Runnable> endings = new ArrayDeque<>();
    private final AtomicLong sequence = new AtomicLong();

    @Override
    public List<Contender> contenders(DataSource database) throws Exception {
        TallyServer server = TallyServer.start(ServerSettings.of(Scratch.directory(), Map.of())
                .at(ServerSettings.LOOPBACK, 0)
                .on(FrontDoorSuite.url((PGSimpleDataSource) database))
                .withBudget(new Limiter.Budget(Integer.MAX_VALUE, Duration.ofSeconds(10))));
        endings.push(server::close);
        String token = Files.readString(server.adminToken()).strip();
        new TallyClient(server.address(), token).topics().create("bench");
        Path empty = Scratch.directory();
        Path full = Scratch.directory();
        fill(full, MANY);
        settle(full);
        return List.of(
                new Contender(BARE, CALLERS, callers -> new Bare()),
                new Contender(ACCEPT, CALLERS, callers -> new Accepting(empty, callers)).against(BARE),
                new Contender("tally.accept.million.c32", CALLERS, callers -> new Accepting(full, callers))
                        .against(ACCEPT),
                new Contender(FIRST, 64, callers -> new Submitting(server.address(), token, callers)),
                new Contender("tally.backlog", 1, callers -> new Delivering(server.address(), token)).against(FIRST));
    }

    @Override
    public void close() {
        endings.forEach(Runnable::run);
    }

    private static Outbox open(Path directory) {
        Clock clock = Clock.systemUTC();
        return Outbox.open(
                directory,
                OutboxSettings.DEFAULT.withMaxBytes(1L << 40),
                clock,
                new Ids(clock, new Random(42)),
                CrashPoints.NONE);
    }

    private static void fill(Path directory, int rows) throws Exception {
        try (Outbox outbox = open(directory);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            RequestReader reader = new RequestReader(() -> SendLimits.USUAL, outbox::newKey);
            for (int caller = 0; caller < 200; caller++) {
                threads.execute(() -> {
                    for (int i = 0; i < rows / 200; i++) {
                        NewRow row = reader.send(body(), null, null);
                        outbox.accept(row);
                    }
                });
            }
        }
    }

    /** All of them delivered long ago. */
    private static void settle(Path directory) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve(Outbox.FILE));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "update outbox set status = 'done', delivered_at = 1, broker_message_id = 'm', history_id = 'h'");
        }
    }

    private static Json body() {
        return new Json.ObjectValue(Map.of("to", Json.of("topic:bench"), "message", Json.of(TEXT)));
    }

    /** The floor: the same commits, with one narrow table and nothing around them. */
    private final class Bare implements Round {

        private final GroupWriter writer;
        private final PreparedStatement insert;

        Bare() throws Exception {
            Connection connection = DriverManager.getConnection(
                    "jdbc:sqlite:" + Scratch.directory().resolve("bare.db"));
            try (Statement statement = connection.createStatement()) {
                statement.execute("pragma journal_mode = wal");
                statement.execute("pragma synchronous = full");
                statement.execute("create table bare (id text primary key, payload blob not null)");
            }
            this.insert = connection.prepareStatement("insert into bare values (?, ?)");
            this.writer = new GroupWriter("bare", connection, null);
        }

        @Override
        public int call(int caller) {
            String id = "%012d".formatted(sequence.incrementAndGet());
            return writer.write(() -> {
                insert.setString(1, id);
                insert.setBytes(2, TEXT.getBytes(ISO_8859_1));
                return insert.executeUpdate();
            });
        }

        @Override
        public void close() {
            writer.close();
        }
    }

    /** Over the socket, each caller on its own connection. There is no server, so that accepting is measured alone. */
    private static final class Accepting implements Round {

        private final Daemon daemon;
        private final List<SocketChannel> channels = new ArrayList<>();
        private final List<InputStream> inputs = new ArrayList<>();
        private final byte[] request;

        Accepting(Path directory, int callers) throws IOException {
            TallyClient nowhere = new TallyClient(URI.create("http://127.0.0.1:1"), "none", Duration.ofSeconds(1));
            this.daemon = Daemon.start(DaemonSettings.of(directory, () -> nowhere)
                    .withOutbox(OutboxSettings.DEFAULT.withMaxBytes(1L << 40))
                    .receiving(false));
            String content = body().canonical();
            this.request = ("POST /v1/send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                            + content.length() + "\r\n\r\n" + content)
                    .getBytes(ISO_8859_1);
            for (int i = 0; i < callers; i++) {
                SocketChannel channel =
                        SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve(LocalServer.SOCKET)));
                channels.add(channel);
                inputs.add(new BufferedInputStream(Channels.newInputStream(channel)));
            }
        }

        @Override
        public int call(int caller) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(request);
            while (bytes.hasRemaining()) {
                channels.get(caller).write(bytes);
            }
            int status = PlainHttp.answer(inputs.get(caller));
            if (status != 202) {
                throw new IOException("the daemon answered " + status);
            }
            return 1;
        }

        @Override
        public void close() {
            try {
                for (SocketChannel each : channels) {
                    each.close();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                daemon.close();
            }
        }
    }

    /** Messages sent to the server one by one, each under a new key. */
    private final class Submitting implements Round {

        private final List<PlainHttp> connections = new ArrayList<>();
        private final String head;
        private final String content = body().canonical();

        Submitting(URI address, String token, int number) throws IOException {
            this.head = "POST /v1/messages HTTP/1.1\r\nHost: " + address.getAuthority() + "\r\nAuthorization: Bearer "
                    + token + "\r\nContent-Type: application/json\r\nContent-Length: " + content.length()
                    + "\r\nIdempotency-Key: ";
            for (int i = 0; i < number; i++) {
                connections.add(new PlainHttp(address));
            }
        }

        @Override
        public int call(int caller) throws IOException {
            int status = connections
                    .get(caller)
                    .exchange(head + "first:" + sequence.incrementAndGet() + "\r\n\r\n" + content);
            if (status != 201) {
                throw new IOException("the server answered " + status);
            }
            return 1;
        }

        @Override
        public void close() {
            connections.forEach(PlainHttp::close);
        }
    }

    /** A daemon that starts with a backlog. A call waits for some of it to be delivered. */
    private static final class Delivering implements Round {

        private static final long LOOK_NANOS = 1_000_000;

        private final Daemon daemon;
        private long seen;

        Delivering(URI server, String token) throws Exception {
            Path directory = Scratch.directory();
            fill(directory, BACKLOG);
            this.daemon = Daemon.start(DaemonSettings.of(directory, server, () -> token)
                    .withOutbox(OutboxSettings.DEFAULT.withMaxBytes(1L << 40))
                    .withoutSocket()
                    .receiving(false));
        }

        @Override
        public int call(int caller) throws IOException {
            while (daemon.delivered() == seen) {
                if (seen == BACKLOG) {
                    throw new IOException("the backlog is too small for this round");
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
            int more = (int) (daemon.delivered() - seen);
            seen += more;
            return more;
        }

        @Override
        public void close() {
            daemon.close();
        }
    }
}
