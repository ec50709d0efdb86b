package dev.tallystick.daemon.local;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** One connection to a daemon's socket, for the commands that look after it. For one thread. */
public final class LocalClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LARGEST_BODY = 64 * 1024 * 1024;

    private final SocketChannel channel;
    private final InputStream in;

    private LocalClient(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedInputStream(Channels.newInputStream(channel));
    }

    /** An answer. */
    public record Reply(int status, Map<String, String> headers, String body) {

        public Json.ObjectValue json() {
            return (Json.ObjectValue) Json.parse(body, new JsonLimits(LARGEST_BODY, JsonLimits.DEFAULT.depth()));
        }
    }

    /**
     * Connects to the daemon of a directory.
     *
     * @throws IOException if no daemon listens there, or another user's does
     */
    public static LocalClient to(Path directory) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve(LocalServer.SOCKET)));
        String user =
                channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        if (!user.equals(System.getProperty("user.name"))) {
            channel.close();
            throw new IOException("the process that listens there belongs to " + user);
        }
        return new LocalClient(channel);
    }

    public Reply get(String path) throws IOException {
        return ask("GET", path, null, Map.of());
    }

    public Reply post(String path, Json body) throws IOException {
        return ask("POST", path, body.canonical(), Map.of());
    }

    /** Closes the connection if the whole answer has not come in time: a daemon may be stopped, or hang. */
    public Reply ask(String method, String path, @Nullable String body, Map<String, String> headers)
            throws IOException {
        Thread watch = Thread.ofVirtual().name("tally-local-watch").start(this::closeWhenLate);
        try {
            return answered(method, path, body, headers);
        } catch (AsynchronousCloseException e) {
            throw new IOException("it did not answer within " + PATIENCE.toSeconds() + " s", e);
        } finally {
            watch.interrupt();
        }
    }

    private void closeWhenLate() {
        LockSupport.parkNanos(PATIENCE.toNanos());
        if (!Thread.currentThread().isInterrupted()) {
            try {
                channel.close();
            } catch (IOException e) {
                // Closed is what it should be.
            }
        }
    }

    private Reply answered(String method, String path, @Nullable String body, Map<String, String> headers)
            throws IOException {
        send(method, path, body, headers);
        int status = status();
        Map<String, String> answered = headers();
        int length = Integer.parseInt(answered.getOrDefault("content-length", "0"));
        if (length > LARGEST_BODY) {
            throw new IOException("the daemon's answer is too large");
        }
        byte[] content = in.readNBytes(length);
        if (content.length < length) {
            throw new EOFException("the daemon closed the connection within an answer");
        }
        return new Reply(status, answered, new String(content, UTF_8));
    }

    /** Reads the data of events until the daemon ends the stream. */
    public void events(String path, Consumer<String> data) throws IOException {
        send("GET", path, null, Map.of());
        int status = status();
        Map<String, String> unused = headers();
        if (status != 200) {
            throw new IOException("the daemon answered " + status);
        }
        String prefix = "data: ";
        for (String line = lineIfThere(); line != null; line = lineIfThere()) {
            if (line.startsWith(prefix)) {
                data.accept(line.substring(prefix.length()));
            }
        }
    }

    private void send(String method, String path, @Nullable String body, Map<String, String> headers)
            throws IOException {
        StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: daemon\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        byte[] content = body == null ? new byte[0] : body.getBytes(UTF_8);
        if (body != null) {
            head.append("Content-Type: application/json\r\nContent-Length: ")
                    .append(content.length)
                    .append("\r\n");
        }
        byte[] start = head.append("\r\n").toString().getBytes(ISO_8859_1);
        ByteBuffer bytes = ByteBuffer.allocate(start.length + content.length)
                .put(start)
                .put(content)
                .flip();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private int status() throws IOException {
        String[] line = line().split(" ", 3);
        if (line.length < 2 || !line[0].equals("HTTP/1.1")) {
            throw new IOException("this is not a daemon");
        }
        return Integer.parseInt(line[1]);
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private String line() throws IOException {
        String line = lineIfThere();
        if (line == null) {
            throw new EOFException("the daemon closed the connection");
        }
        return line;
    }

    private @Nullable String lineIfThere() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return null;
            }
            if (bytes.size() > LARGEST_BODY) {
                throw new IOException("a line of the daemon's answer is too long");
            }
            bytes.write(next);
        }
        String text = bytes.toString(UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
