package dev.tallystick.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Sits between JDBC and Postgres on its own loopback port and disturbs connections on demand: all of them with {@link #cut},
 * {@link #abandon}, {@link #refuse}, {@link #delay} and {@link #blackHole} until {@link #pass}, or single COMMITs with
 * {@link #onCommit}.
 *
 * <p>COMMIT means an explicit one, as {@code Connection.commit()} sends it, alone or in a batch, prepared or not; a statement
 * in auto-commit mode has none. A text of more than 64 KiB is not searched. A client that requests encryption gets the reply
 * of a server without it.
 *
 * <p>Thread-safe. Closing cuts every connection and drops held COMMITs.
 */
public final class TcpProxy implements AutoCloseable {

    private final SocketAddress server;
    private final ServerSocketChannel listener;
    private final int port;
    private final Traffic traffic = new Traffic();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final List<HeldCommit> held = new CopyOnWriteArrayList<>();
    private final Map<CommitFate, Integer> counts = new EnumMap<>(CommitFate.class);
    private CommitPolicy policy = CommitPolicy.always(CommitFate.FORWARD);
    private long commitsSeen;
    private volatile boolean refusing;

    private TcpProxy(SocketAddress server, ServerSocketChannel listener) throws IOException {
        this.server = server;
        this.listener = listener;
        this.port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    /** Listens on a free port of the loopback interface. */
    public static TcpProxy to(SocketAddress server) {
        try {
            ServerSocketChannel listener =
                    ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            TcpProxy proxy = new TcpProxy(server, listener);
            Thread.ofVirtual().name("proxy " + proxy.port).start(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String host() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    public int port() {
        return port;
    }

    /** Everything passes again, including the bytes kept by a black hole. The policy for COMMITs stays. */
    public void pass() {
        refusing = false;
        traffic.flow(Duration.ZERO);
    }

    /** Delays every burst of bytes in both directions. */
    public void delay(Duration by) {
        traffic.flow(by);
    }

    /** Nothing arrives any more in either direction, not even the news that the other side has closed. */
    public void blackHole() {
        traffic.stop();
    }

    /** As {@link #blackHole}, for ever, but only for the current connections. New ones work. */
    public void abandon() {
        connections.forEach(ProxiedConnection::abandon);
    }

    /** New connections are reset at once; existing ones stay. */
    public void refuse() {
        refusing = true;
    }

    /** Resets every connection now. New ones work. */
    public void cut() {
        connections.forEach(ProxiedConnection::cut);
    }

    /** From now on this policy decides the fate of every COMMIT. */
    public synchronized void onCommit(CommitPolicy newPolicy) {
        policy = newPolicy;
    }

    /** As {@code onCommit(CommitPolicy.next(fate))}. */
    public void onNextCommit(CommitFate fate) {
        onCommit(CommitPolicy.next(fate));
    }

    /** How many COMMITs have met this fate; counted before their clients can notice. */
    public synchronized int commits(CommitFate fate) {
        return counts.getOrDefault(fate, 0);
    }

    /** All COMMITs held so far, in the order of arrival, including released ones. */
    public List<HeldCommit> held() {
        return List.copyOf(held);
    }

    public int openConnections() {
        return connections.size();
    }

    @Override
    public void close() {
        close(listener);
        cut();
        held.forEach(HeldCommit::drop);
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel client = listener.accept();
                if (refusing) {
                    reset(client);
                } else {
                    connect(client);
                }
            }
        } catch (ClosedChannelException closed) {
            // The proxy was closed, which ends this loop.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void connect(SocketChannel client) {
        try {
            SocketChannel fromClient = withoutDelay(client);
            SocketChannel toServer = withoutDelay(SocketChannel.open(server));
            ProxiedConnection connection = new ProxiedConnection(this, traffic, fromClient, toServer);
            connections.add(connection);
            connection.start();
            if (!listener.isOpen()) {
                connection.cut();
            }
        } catch (IOException serverIsDown) {
            reset(client);
        }
    }

    synchronized CommitFate decide(Set<String> statements) {
        commitsSeen++;
        return policy.fateOf(new Commit(commitsSeen, statements));
    }

    synchronized void count(CommitFate fate) {
        counts.merge(fate, 1, Integer::sum);
    }

    /** From here on the connection belongs to the held COMMIT alone. */
    void hold(ProxiedConnection connection, HeldCommit commit) {
        connections.remove(connection);
        held.add(commit);
        count(CommitFate.HOLD);
    }

    void ended(ProxiedConnection connection) {
        connections.remove(connection);
    }

    private static SocketChannel withoutDelay(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Closes with a TCP reset: the peer's next read or write fails, and unread data is lost. */
    static void reset(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException alreadyClosed) {
            // A closed channel needs no reset.
        }
        close(channel);
    }

    static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
