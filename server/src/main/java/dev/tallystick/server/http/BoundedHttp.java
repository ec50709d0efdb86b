package dev.tallystick.server.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.task.InterruptableTask;
import io.helidon.http.DirectHandler;
import io.helidon.http.RequestException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.regex.Pattern;

/**
 * The web server's HTTP/1.1, with bounds where it has none. It limits the first line, the headers and the bytes of a body, but
 * searches for the end of a chunk's first line, and of the line after the last chunk, for as long as bytes come, and buffers
 * them all.
 */
final class BoundedHttp implements ServerConnectionSelector {

    /** The size of a chunk has a few digits, and we accept neither chunk extensions nor trailers. */
    private static final int LONGEST_CHUNK_LINE = 64;

    private static final int NEW_LINE = 2;
    private static final Pattern OTHER_VERSION = Pattern.compile(" HTTP/[0-9.]{1,5}\\r?$");

    private final ServerConnectionSelector http;
    private final Connections connections;

    BoundedHttp(Http1Config config, Connections connections) {
        this.http = Http1ConnectionSelector.builder().config(config).build();
        this.connections = connections;
    }

    @Override
    public int bytesToIdentifyConnection() {
        return http.bytesToIdentifyConnection();
    }

    /** Accepts other versions too, such as the 1.0 of many proxies: the web server would just close their connections. */
    @Override
    public Support supports(BufferData data) {
        int end = data.indexOf((byte) '\n');
        return end >= 0 && OTHER_VERSION.matcher(data.copy().readString(end)).find()
                ? Support.SUPPORTED
                : http.supports(data);
    }

    @Override
    public Set<String> supportedApplicationProtocols() {
        return http.supportedApplicationProtocols();
    }

    @Override
    public ServerConnection connection(ConnectionContext context) {
        ServerConnection served = http.connection(new BoundedContext(context, new BoundedReader(context.dataReader())));
        Connections.Connection connection = connections.of(context.remotePeer().address());
        connection.servedBy(() -> served.close(false));
        return new Served(served, connection, context);
    }

    /** The same bytes, with a bounded search for the end of a line. */
    private static final class BoundedReader extends DataReader {

        @SuppressWarnings("removal") // to be extended is what it is needed for; see decision 70
        BoundedReader(DataReader source) {
            super(() -> {
                // The bytes that were already read to detect the protocol come first.
                source.ensureAvailable();
                return source.readBytes(source.available());
            });
        }

        @Override
        public String readLine() {
            try {
                int end = findNewLine(LONGEST_CHUNK_LINE);
                if (end < LONGEST_CHUNK_LINE) {
                    String line = readAsciiString(end);
                    skip(NEW_LINE);
                    return line;
                }
            } catch (IncorrectNewLineException e) {
                // Reported below, like a line without an end.
            }
            throw malformedChunk();
        }

        /** Checks the two bytes that end a line: the web server skips them after a chunk without looking. */
        @Override
        public void skip(int length) {
            if (length == NEW_LINE && !startsWithNewLine()) {
                throw malformedChunk();
            }
            super.skip(length);
        }

        @Override
        public BufferData readBuffer(int length) {
            BufferData data = getBuffer(length);
            super.skip(length);
            return data;
        }

        @Override
        public BufferData readBuffer() {
            ensureAvailable();
            return readBuffer(available());
        }

        private static RequestException malformedChunk() {
            return RequestException.builder()
                    .type(DirectHandler.EventType.BAD_REQUEST)
                    .message("malformed chunk")
                    .setKeepAlive(false)
                    .build();
        }
    }

    /** A connection until its end; the web server has no other callback for that. */
    private static final class Served implements ServerConnection, InterruptableTask<Void> {

        private final ServerConnection served;
        private final Connections.Connection connection;
        private final ConnectionContext context;

        Served(ServerConnection served, Connections.Connection connection, ConnectionContext context) {
            this.served = served;
            this.connection = connection;
            this.context = context;
        }

        @Override
        public void handle(Limit limit) throws InterruptedException {
            try {
                served.handle(limit);
            } finally {
                connection.end(context.dataReader(), context.isSecure());
            }
        }

        @Override
        public boolean canInterrupt() {
            return served instanceof InterruptableTask<?> task && task.canInterrupt();
        }

        @Override
        public Duration idleTime() {
            return served.idleTime();
        }

        @Override
        public void close(boolean interrupt) {
            served.close(interrupt);
        }
    }

    private record BoundedContext(ConnectionContext context, DataReader reader) implements ConnectionContext {

        @Override
        public DataReader dataReader() {
            return reader;
        }

        @Override
        public ListenerContext listenerContext() {
            return context.listenerContext();
        }

        @Override
        public ExecutorService executor() {
            return context.executor();
        }

        @Override
        public DataWriter dataWriter() {
            return context.dataWriter();
        }

        @Override
        public Router router() {
            return context.router();
        }

        @Override
        public Optional<ProxyProtocolData> proxyProtocolData() {
            return context.proxyProtocolData();
        }

        @Override
        public HelidonSocket serverSocket() {
            return context.serverSocket();
        }

        @Override
        public PeerInfo remotePeer() {
            return context.remotePeer();
        }

        @Override
        public PeerInfo localPeer() {
            return context.localPeer();
        }

        @Override
        public boolean isSecure() {
            return context.isSecure();
        }

        @Override
        public String socketId() {
            return context.socketId();
        }

        @Override
        public String childSocketId() {
            return context.childSocketId();
        }
    }
}
