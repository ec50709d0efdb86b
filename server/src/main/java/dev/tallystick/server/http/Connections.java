package dev.tallystick.server.http;

import dev.tallystick.sql.Loop;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections whose client is too slow. The web server itself waits for bytes without a limit, and lets a client read as
 * slowly as it likes.
 *
 * <p>A connection has one deadline, which moves with its phase: from being accepted, and from the end of each answer, to the
 * end of the next request's head; from there to the end of the body; while an answer is written, to the end of the answer.
 * While the server works there is none. The number of bytes that arrive does not matter, so dripping them buys no time.
 *
 * <p>A connection that is not serving a member's request is a stranger's: it is silent, slow, idle between two requests, or has
 * no token. An address has a limited number of those. When there is no room for a new connection, the one that has been a
 * stranger's for longest is closed. So a new connection with a valid token is served, however many connections others keep
 * open. Thread-safe.
 */
public final class Connections implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final Duration LOOK = Duration.ofMillis(250);

    /** Clients take answers quickly: one that has not by then never will. */
    private static final Duration LINGER = Duration.ofSeconds(1);

    private static final long NONE = Long.MAX_VALUE;
    private static final long CUT = Long.MIN_VALUE;

    private final long begin = System.nanoTime();
    private final Limits limits;
    private final Map<SocketAddress, Connection> open = new ConcurrentHashMap<>();
    private final Loop watching;
    private final Connection unknown = new Connection(null, null);

    public Connections(Limits limits) {
        this.limits = limits;
        this.watching = new Loop("connections", LOOK, this::cutLateOnes);
        watching.start();
    }

    /** The phase of a connection, as far as it has a time limit. */
    final class Connection {

        private final @Nullable SocketChannel channel;
        private final @Nullable InetSocketAddress peer;
        private final AtomicLong deadline = new AtomicLong(NONE);

        /** Since when it serves no member's request. */
        private volatile long strangerSince = now();

        private volatile Runnable closing = () -> {};
        private volatile boolean done;

        private Connection(@Nullable SocketChannel channel, @Nullable InetSocketAddress peer) {
            this.channel = channel;
            this.peer = peer;
        }

        /** A member's request uses the connection. */
        void admitted() {
            strangerSince = NONE;
        }

        /** @param close makes the web server take no further request on the connection */
        void servedBy(Runnable close) {
            this.closing = close;
        }

        /** No request follows the answered one. */
        void takesNoMore(boolean wholeRequestRead) {
            done = wholeRequestRead;
            closing.run();
        }

        /**
         * No more answers are sent. Reads and discards for a moment what the client still sends: closing a connection with
         * unread bytes destroys the answer that is on its way.
         */
        void end(DataReader rest, boolean secure) {
            if (channel == null) {
                return;
            }
            try {
                if (!done && channel.isOpen()) {
                    limit(LINGER);
                    if (!secure) {
                        channel.shutdownOutput();
                    }
                    for (int left = Limits.BODY; left > 0; left -= skipAvailable(rest)) {}
                }
            } catch (IOException | RuntimeException gone) {
                LOG.debug("the other side has gone, too", gone);
            } finally {
                closeChannel();
                forget(this);
            }
        }

        private static int skipAvailable(DataReader rest) {
            rest.ensureAvailable();
            int available = rest.available();
            rest.skip(available);
            return available;
        }

        /** The next request may come. */
        void awaitsRequest() {
            limit(limits.silence());
            if (!isStranger()) {
                strangerSince = now();
            }
        }

        /** The head has arrived, the body may follow. */
        void receives() {
            limit(limits.arrival());
        }

        /** The server is at work. */
        void works() {
            deadline.set(NONE);
        }

        /** The client has to read the answer. */
        void answers() {
            limit(limits.arrival());
        }

        /** A stream in which every write has its own time limit, and the pauses between writes have none. */
        OutputStream stream(OutputStream out) {
            works();
            return new OutputStream() {

                @Override
                public void write(int b) throws IOException {
                    write(new byte[] {(byte) b}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    answers();
                    out.write(bytes, offset, length);
                    works();
                }

                @Override
                public void flush() throws IOException {
                    answers();
                    out.flush();
                    works();
                }

                @Override
                public void close() throws IOException {
                    answers();
                    out.close();
                }
            };
        }

        private void limit(Duration time) {
            deadline.set(now() + time.toNanos());
        }

        /** A deadline that has moved meanwhile was met. */
        private void cutIfLate() {
            long until = deadline.get();
            if (until <= now() && deadline.compareAndSet(until, CUT)) {
                LOG.debug("cut off {}, which did not do its part in time", peer);
                closeChannel();
            }
        }

        private void makeRoom() {
            LOG.debug("cut off {}, which had no request under way, for a newcomer", peer);
            deadline.set(CUT);
            closeChannel();
            forget(this);
        }

        private boolean isStranger() {
            return strangerSince != NONE;
        }

        private boolean isAt(InetAddress address) {
            return peer != null && peer.getAddress().equals(address);
        }

        private boolean isOlderThan(@Nullable Connection other) {
            return other == null || strangerSince < other.strangerSince;
        }

        private boolean isOpen() {
            return channel != null && channel.isOpen();
        }

        private void closeChannel() {
            try {
                if (channel != null) {
                    channel.close();
                }
            } catch (IOException e) {
                LOG.debug("could not close a connection", e);
            }
        }
    }

    Connection of(SocketAddress peer) {
        return open.getOrDefault(peer, unknown);
    }

    int count() {
        return open.size();
    }

    /** The socket options, which the web server sets on each accepted connection: this is how we learn of the connection. */
    SocketOptions observing(SocketOptions options) {
        return new Observed(options);
    }

    @Override
    public void close() {
        watching.end();
    }

    private void accepted(SocketChannel channel) {
        try {
            if (channel.getRemoteAddress() instanceof InetSocketAddress peer) {
                makeRoomFor(peer.getAddress());
                Connection connection = new Connection(channel, peer);
                open.put(peer, connection);
                connection.awaitsRequest();
            }
        } catch (IOException e) {
            LOG.debug("gone before it was there", e);
        }
    }

    /**
     * Closes the oldest stranger of the address if that has its share, and otherwise the oldest stranger of all.
     *
     * @throws IllegalStateException if every connection serves a member; the web server then closes the new one
     */
    private void makeRoomFor(InetAddress address) {
        if (open.size() < Math.min(limits.connectionsPerAddress(), limits.connections())) {
            return;
        }
        Connection oldest = null;
        Connection oldestNeighbour = null;
        int neighbours = 0;
        for (Connection each : open.values()) {
            if (each.isStranger()) {
                oldest = each.isOlderThan(oldest) ? each : oldest;
                if (each.isAt(address)) {
                    neighbours++;
                    oldestNeighbour = each.isOlderThan(oldestNeighbour) ? each : oldestNeighbour;
                }
            }
        }
        if (oldestNeighbour != null && neighbours >= limits.connectionsPerAddress()) {
            oldestNeighbour.makeRoom();
        } else if (open.size() >= limits.connections()) {
            if (oldest == null) {
                throw new IllegalStateException("all connections are in the hands of requests");
            }
            oldest.makeRoom();
        }
    }

    private void forget(Connection connection) {
        if (connection.peer != null) {
            open.remove(connection.peer, connection);
        }
    }

    private void cutLateOnes() {
        open.values().forEach(connection -> {
            connection.cutIfLate();
            if (!connection.isOpen()) {
                forget(connection);
            }
        });
    }

    private long now() {
        return System.nanoTime() - begin;
    }

    private final class Observed implements SocketOptions {

        private final SocketOptions options;

        Observed(SocketOptions options) {
            this.options = options;
        }

        @Override
        public void configureSocket(SocketChannel channel) {
            options.configureSocket(channel);
            accepted(channel);
        }

        @Override
        public void configureSocket(Socket socket) {
            options.configureSocket(socket);
        }

        @Override
        public Map<SocketOption<?>, Object> socketOptions() {
            return options.socketOptions();
        }

        @Override
        public Duration connectTimeout() {
            return options.connectTimeout();
        }

        @Override
        public Duration readTimeout() {
            return options.readTimeout();
        }

        @Override
        public Optional<Integer> socketReceiveBufferSize() {
            return options.socketReceiveBufferSize();
        }

        @Override
        public Optional<Integer> socketSendBufferSize() {
            return options.socketSendBufferSize();
        }

        @Override
        public boolean socketReuseAddress() {
            return options.socketReuseAddress();
        }

        @Override
        public boolean socketKeepAlive() {
            return options.socketKeepAlive();
        }

        @Override
        public boolean tcpNoDelay() {
            return options.tcpNoDelay();
        }
    }
}
