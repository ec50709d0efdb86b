package dev.tallystick.server;

import dev.tallystick.sql.Loop;
import io.helidon.common.socket.SocketOptions;
import java.io.IOException;
import java.io.OutputStream;
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
 * Cuts off connections whose other side does not do its part in time. The web server itself waits for bytes for as long as they
 * take, and lets a client read as slowly as it likes.
 *
 * <p>A connection has one deadline, which moves on with what is done: from being accepted, and from the end of each answer, to the
 * end of the next request's head; from there to the end of the body; while an answer is written, to the end of that. While we are
 * at work there is none. It does not matter how many bytes come meanwhile, so dripping them buys no time. Thread-safe.
 */
final class Connections implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final Duration LOOK = Duration.ofMillis(250);
    private static final long NONE = Long.MAX_VALUE;
    private static final long CUT = Long.MIN_VALUE;

    private final long begin = System.nanoTime();
    private final Limits limits;
    private final Map<SocketAddress, Connection> open = new ConcurrentHashMap<>();
    private final Loop watch;
    private final Connection unknown = new Connection(null);

    Connections(Limits limits) {
        this.limits = limits;
        this.watch = new Loop("connections", LOOK, this::cutLate);
        watch.start();
    }

    /** What is done with a connection, as far as it has a time limit. */
    final class Connection {

        private final @Nullable SocketChannel channel;
        private final AtomicLong deadline = new AtomicLong(NONE);

        private Connection(@Nullable SocketChannel channel) {
            this.channel = channel;
        }

        /** The next request may come. */
        void awaitsRequest() {
            limit(limits.silence());
        }

        /** Its head has come, the body may follow. */
        void receives() {
            limit(limits.arrival());
        }

        /** It is our turn. */
        void works() {
            deadline.set(NONE);
        }

        /** The other side has to take what we write. */
        void answers() {
            limit(limits.arrival());
        }

        /** A stream on which every write has its own time, and the pauses between them have none. */
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

        /** Whoever has moved the deadline on meanwhile was in time. */
        private void cutIfLate(SocketAddress peer) {
            long until = deadline.get();
            if (channel != null && until <= now() && deadline.compareAndSet(until, CUT)) {
                LOG.debug("cut off {}, which did not do its part in time", peer);
                try {
                    channel.close();
                } catch (IOException e) {
                    LOG.debug("could not close the connection of {}", peer, e);
                }
            }
        }
    }

    Connection of(SocketAddress peer) {
        return open.getOrDefault(peer, unknown);
    }

    int count() {
        return open.size();
    }

    /** The options, for a web server that sets them on each connection when it has accepted it: here we learn of it. */
    SocketOptions observing(SocketOptions options) {
        return new Observed(options);
    }

    @Override
    public void close() {
        watch.end();
    }

    private void accepted(SocketChannel channel) {
        try {
            SocketAddress peer = channel.getRemoteAddress();
            if (peer != null) {
                Connection connection = new Connection(channel);
                connection.awaitsRequest();
                open.put(peer, connection);
            }
        } catch (IOException e) {
            LOG.debug("gone before it was there", e);
        }
    }

    private void cutLate() {
        open.forEach((peer, connection) -> {
            connection.cutIfLate(peer);
            if (connection.channel == null || !connection.channel.isOpen()) {
                open.remove(peer, connection);
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
