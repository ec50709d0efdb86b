package dev.tallystick.daemon;

import dev.tallystick.testkit.Randomness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Between a daemon and its server: passes requests on, and loses replies. */
final class ReplyLosingProxy implements AutoCloseable {

    private static final int EVERY = 3;
    private static final double RESET = 0.02;

    private final InetSocketAddress server;
    private final ServerSocketChannel listener;
    private final BooleanSupplier loses;
    private final BooleanSupplier resets;
    private final AtomicInteger dropped = new AtomicInteger();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    /** Drops every third reply, and resets connections at random. */
    ReplyLosingProxy(int serverPort, Randomness random) {
        this(serverPort, everyThird(), () -> chance(random));
    }

    /** Drops a reply whenever it is asked to. */
    ReplyLosingProxy(int serverPort, BooleanSupplier loses) {
        this(serverPort, loses, () -> false);
    }

    private ReplyLosingProxy(int serverPort, BooleanSupplier loses, BooleanSupplier resets) {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
        this.loses = loses;
        this.resets = resets;
        try {
            this.listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    private static BooleanSupplier everyThird() {
        AtomicInteger replies = new AtomicInteger();
        return () -> replies.incrementAndGet() % EVERY == 0;
    }

    URI address() {
        try {
            return URI.create("http://127.0.0.1:" + ((InetSocketAddress) listener.getLocalAddress()).getPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int dropped() {
        return dropped.get();
    }

    /** Ends all connections. */
    void cut() {
        connections.forEach(Connection::reset);
    }

    private void accept() {
        while (listener.isOpen()) {
            try {
                SocketChannel client = listener.accept();
                try {
                    SocketChannel upstream = SocketChannel.open(server);
                    Connection connection = new Connection(client, upstream);
                    connections.add(connection);
                    Thread.ofVirtual().start(connection::passRequests);
                    Thread.ofVirtual().start(connection::passReplies);
                } catch (IOException serverIsDown) {
                    client.close();
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    private final class Connection {

        private final SocketChannel client;
        private final SocketChannel upstream;
        private volatile boolean awaitsReply;

        Connection(SocketChannel client, SocketChannel upstream) {
            this.client = client;
            this.upstream = upstream;
        }

        void passRequests() {
            pass(client, upstream, () -> {
                awaitsReply = true;
                return resets.getAsBoolean();
            });
        }

        void passReplies() {
            pass(upstream, client, () -> {
                if (!awaitsReply) {
                    return false;
                }
                awaitsReply = false;
                boolean isLost = loses.getAsBoolean();
                dropped.addAndGet(isLost ? 1 : 0);
                return isLost;
            });
        }

        private void pass(SocketChannel from, SocketChannel to, BooleanSupplier breaks) {
            ByteBuffer bytes = ByteBuffer.allocate(64 * 1024);
            try {
                while (from.read(bytes) >= 0) {
                    if (breaks.getAsBoolean()) {
                        break;
                    }
                    bytes.flip();
                    while (bytes.hasRemaining()) {
                        to.write(bytes);
                    }
                    bytes.clear();
                }
            } catch (IOException e) {
                // Either side is gone, and so is the connection.
            }
            reset();
        }

        void reset() {
            ReplyLosingProxy.reset(client);
            ReplyLosingProxy.reset(upstream);
            connections.remove(this);
        }
    }

    private static boolean chance(Randomness random) {
        synchronized (random) {
            return random.chance(RESET);
        }
    }

    private static void reset(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.close();
        } catch (IOException e) {
            // Closed already.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
