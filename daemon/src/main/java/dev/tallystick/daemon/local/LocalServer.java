package dev.tallystick.daemon.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.ProblemCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the local interface on a Unix socket, and on a loopback port if one is wanted. Each connection has a virtual thread;
 * requests, streams, connections, sizes and times are bounded. Thread-safe.
 */
public final class LocalServer implements AutoCloseable {

    public static final String SOCKET = "daemon.sock";

    static final int MOST_REQUESTS = 64;
    static final int MOST_STREAMS = 32;
    static final int MOST_CONNECTIONS = 512;

    private static final int LONGEST_SOCKET_PATH = 100;
    private static final int BODY_SLACK = 64 * 1024;
    private static final Duration SILENCE = Duration.ofSeconds(60);
    private static final Duration ARRIVAL = Duration.ofSeconds(20);
    private static final Duration LINGER = Duration.ofSeconds(2);
    private static final int MOST_LINGERING = 8 * 1024 * 1024;
    private static final Duration SWEEP = Duration.ofMillis(500);
    private static final Logger LOG = LoggerFactory.getLogger(LocalServer.class);

    private final LocalRoutes routes;
    private final UserPrincipal owner;
    private final @Nullable String token;
    private final Path socket;
    private final ServerSocketChannel unix;
    private final @Nullable ServerSocketChannel tcp;
    private final int port;
    private final Semaphore requests = new Semaphore(MOST_REQUESTS);
    private final Semaphore streams = new Semaphore(MOST_STREAMS);
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param directory the daemon's own, which no one else can enter; the caller holds its lock
     * @param port for loopback TCP; null for none, 0 for any free one
     * @param token what callers over TCP send as bearer token
     */
    public LocalServer(Path directory, @Nullable Integer port, String token, LocalRoutes routes) throws IOException {
        this.routes = routes;
        this.token = token;
        this.owner = Files.getOwner(directory);
        this.socket = directory.resolve(SOCKET);
        this.unix = listen(socket);
        try {
            this.tcp = port == null
                    ? null
                    : ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            this.port = tcp == null ? 0 : ((InetSocketAddress) tcp.getLocalAddress()).getPort();
        } catch (IOException e) {
            unix.close();
            throw e;
        }
        Thread.ofVirtual().name("tally-local").start(() -> accept(unix, true));
        if (tcp != null) {
            Thread.ofVirtual().name("tally-local-tcp").start(() -> accept(tcp, false));
        }
        Thread.ofPlatform().daemon().name("tally-local-sweeper").start(this::sweep);
    }

    /** The loopback port; 0 if there is none. */
    public int port() {
        return port;
    }

    /** A file in the place of the socket is looked at and tried, never trusted. */
    private static ServerSocketChannel listen(Path socket) throws IOException {
        if (socket.toString().getBytes(UTF_8).length > LONGEST_SOCKET_PATH) {
            throw new IOException(
                    "the path " + socket + " is too long for a socket: use a directory with a shorter one");
        }
        if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            boolean isSocket = Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isOther();
            if (!isSocket) {
                throw new IOException(socket + " is not a socket: look what it is, and remove it");
            }
            if (answers(socket)) {
                throw new IOException("another process listens on " + socket + " without holding the directory's lock");
            }
            Files.delete(socket);
        }
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(socket), MOST_CONNECTIONS);
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        return channel;
    }

    private static boolean answers(Path socket) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return channel.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private void accept(ServerSocketChannel listener, boolean isUnix) {
        while (!closed) {
            try {
                SocketChannel channel = listener.accept();
                if (connections.size() >= MOST_CONNECTIONS || (isUnix && !isOwners(channel))) {
                    channel.close();
                    continue;
                }
                Connection connection = new Connection(channel, isUnix);
                connections.add(connection);
                Thread.ofVirtual().name("tally-local-connection").start(() -> serve(connection));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                LOG.warn("cannot take a connection: {}", e.toString());
                LockSupport.parkNanos(SWEEP.toNanos());
            }
        }
    }

    /** The kernel says whose process it is. */
    private boolean isOwners(SocketChannel channel) throws IOException {
        UserPrincipal peer =
                channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (!peer.equals(owner)) {
            LOG.warn("refused a connection of user {}: this daemon serves {} alone", peer.getName(), owner.getName());
            return false;
        }
        return true;
    }

    /** A connection and the moment at which it counts as dead. */
    private static final class Connection {

        final SocketChannel channel;
        final boolean isUnix;
        volatile long deadline;

        Connection(SocketChannel channel, boolean isUnix) {
            this.channel = channel;
            this.isUnix = isUnix;
            lives(SILENCE);
        }

        void lives(Duration time) {
            deadline = System.nanoTime() + time.toNanos();
        }

        void close() {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("closing a connection failed", e);
            }
        }

        /** Reads what the caller still sends: if it were lost on the way, so would be the answer. */
        void linger() throws IOException {
            lives(LINGER);
            channel.shutdownOutput();
            ByteBuffer unread = ByteBuffer.allocate(BODY_SLACK);
            int left = MOST_LINGERING;
            while (left > 0 && channel.read(unread) >= 0) {
                left -= Math.max(1, unread.position());
                unread.clear();
            }
        }

        void write(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    private void sweep() {
        while (!closed) {
            long now = System.nanoTime();
            for (Connection each : connections) {
                if (each.deadline - now < 0) {
                    each.close();
                }
            }
            LockSupport.parkNanos(SWEEP.toNanos());
        }
    }

    private void serve(Connection connection) {
        try {
            RequestParser parser = new RequestParser(connection.channel);
            boolean mayContinue = true;
            while (mayContinue && !closed) {
                connection.lives(SILENCE);
                mayContinue = serveNext(connection, parser);
            }
        } catch (IOException e) {
            LOG.debug("a connection ended: {}", e.toString());
        } catch (RuntimeException e) {
            LOG.error("a connection failed", e);
        } finally {
            connection.close();
            connections.remove(connection);
        }
    }

    /** Whether another request may follow. */
    private boolean serveNext(Connection connection, RequestParser parser) throws IOException {
        RequestParser.Head head;
        try {
            Optional<RequestParser.Head> next = parser.head();
            if (next.isEmpty()) {
                return false;
            }
            head = next.get();
        } catch (LocalProblem e) {
            connection.write(e.answer().bytes(true));
            connection.linger();
            return false;
        }
        connection.lives(ARRIVAL);
        int most = 2 * routes.limits().requestBytes() + BODY_SLACK;
        if (head.length() > most) {
            connection.write(new LocalProblem(ProblemCode.PAYLOAD_TOO_LARGE, "a request has at most " + most + " bytes")
                    .answer()
                    .bytes(true));
            connection.linger();
            return false;
        }
        if (head.awaitsPermission()) {
            connection.write(ByteBuffer.wrap("HTTP/1.1 100 Continue\r\n\r\n".getBytes(UTF_8)));
        }
        if (!requests.tryAcquire()) {
            parser.skip(head.length());
            connection.write(
                    busy("it has " + MOST_REQUESTS + " requests under way").bytes(head.isLast()));
            return !head.isLast();
        }
        try {
            LocalRequest request = new LocalRequest(head.method(), head.target(), head.headers(), parser.body(head));
            requireAllowed(connection, request);
            connection.lives(SILENCE);
            LocalRoutes.Served served = routes.serve(request);
            switch (served) {
                case LocalRoutes.Served.Answered answered ->
                    connection.write(answered.answer().bytes(head.isLast()));
                case LocalRoutes.Served.Streamed streamed -> {
                    requests.release();
                    try {
                        stream(connection, streamed.events());
                    } finally {
                        requests.acquireUninterruptibly();
                    }
                    return false;
                }
            }
            return !head.isLast();
        } catch (LocalProblem e) {
            connection.write(e.answer().bytes(head.isLast() || e.endsConnection()));
            return !head.isLast() && !e.endsConnection();
        } finally {
            requests.release();
        }
    }

    private static LocalAnswer busy(String why) {
        return new LocalProblem(ProblemCode.DAEMON_BUSY, why + "; send this again").answer();
    }

    /** Browsers send Origin, and reach loopback ports under names that an attacker chose. */
    private void requireAllowed(Connection connection, LocalRequest request) {
        if (request.header("origin") != null) {
            throw new LocalProblem(ProblemCode.FORBIDDEN, "web pages have no access");
        }
        if (connection.isUnix) {
            return;
        }
        String host = request.header("host");
        if (host == null
                || !Set.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port)
                        .contains(host)) {
            throw new LocalProblem(ProblemCode.FORBIDDEN, "the header Host must name this address");
        }
        String offered = request.header("authorization");
        String expected = "Bearer " + token;
        if (offered == null || !MessageDigest.isEqual(offered.getBytes(UTF_8), expected.getBytes(UTF_8))) {
            throw new LocalProblem(
                    ProblemCode.UNAUTHENTICATED,
                    "send the token of the daemon's directory as Authorization: Bearer TOKEN");
        }
    }

    private void stream(Connection connection, EventSource events) throws IOException {
        if (!streams.tryAcquire()) {
            connection.write(busy("it has " + MOST_STREAMS + " streams").bytes(true));
            return;
        }
        try {
            String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nTally-Api: "
                    + LocalAnswer.API + "\r\nConnection: close\r\n\r\n";
            connection.write(ByteBuffer.wrap(head.getBytes(UTF_8)));
            while (!closed) {
                connection.lives(SILENCE);
                String next = events.next();
                connection.lives(ARRIVAL);
                connection.write(ByteBuffer.wrap(next.getBytes(UTF_8)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            streams.release();
        }
    }

    /** Ends all connections and removes the socket. */
    @Override
    public void close() {
        closed = true;
        try {
            unix.close();
            if (tcp != null) {
                tcp.close();
            }
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close " + socket, e);
        } finally {
            connections.forEach(Connection::close);
        }
    }
}
