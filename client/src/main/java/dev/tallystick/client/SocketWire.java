package dev.tallystick.client;

import dev.tallystick.client.net.Durations;
import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.client.net.Lines;
import dev.tallystick.core.IdempotencyKey;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reaches a process on this machine over a Unix socket, which the JDK's HTTP client cannot. One request per connection, and one
 * answer with a {@code Content-Length}: everything else is refused ({@link SocketAnswer}). Thread-safe.
 */
final class SocketWire implements Wire {

    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** What the JDK calls a user that the system has no name for. */
    private static final String UNNAMED = "?";

    private final Path socket;

    SocketWire(Path socket) {
        this.socket = socket;
    }

    @Override
    public <T> Attempt<T> attempt(Request request, Duration limit, Function<Reply, T> reading) {
        try (Talk talk = new Talk(written(request))) {
            SocketAnswer answer = talk.answerWithin(limit);
            return Answers.judge(request, answer.status(), answer.headers(), answer.body(), reading);
        } catch (NoConnection e) {
            return Wire.failed(AttemptFailure.Kind.NO_CONNECTION, String.valueOf(e.getMessage()), e);
        } catch (ForeignAnswer e) {
            return Wire.failed(
                    AttemptFailure.Kind.FOREIGN_ANSWER, "the answer from " + socket + ": " + e.getMessage(), e);
        } catch (IOException e) {
            return Wire.failed(AttemptFailure.Kind.CONNECTION_BROKEN, "the connection to " + socket + " broke", e);
        } catch (TimeoutException e) {
            return Wire.failed(AttemptFailure.Kind.TIMED_OUT, "no whole answer came from " + socket + " in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Wire.failed(AttemptFailure.Kind.INTERRUPTED, "interrupted", e);
        }
    }

    @Override
    public Attempt<Lines> open(Request request, Duration limit) {
        throw new UnsupportedOperationException("streams are read from a server");
    }

    /** There was no connection, so nothing was sent. */
    private static final class NoConnection extends IOException {

        @Serial
        private static final long serialVersionUID = 1L;

        NoConnection(Path socket, @Nullable Throwable cause) {
            super("no daemon answers at " + socket + (cause == null ? "" : ": " + cause.getMessage()), cause);
        }
    }

    /**
     * One connection. Its blocking calls run on a thread of their own, and end when the connection is closed: a daemon that is
     * stopped neither accepts nor answers, and the caller must not wait for it longer than its limit.
     */
    private final class Talk implements AutoCloseable {

        private final SocketChannel channel;
        private final FutureTask<SocketAnswer> answer;
        private volatile boolean isConnected;

        Talk(byte[] request) throws NoConnection {
            try {
                this.channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            } catch (IOException | UnsupportedOperationException e) {
                throw new NoConnection(socket, e);
            }
            this.answer = new FutureTask<>(() -> talk(request));
            Thread.ofVirtual().name("tally-daemon-request").start(answer);
        }

        private SocketAnswer talk(byte[] request) throws IOException {
            requireOwnDirectory();
            channel.connect(UnixDomainSocketAddress.of(socket));
            isConnected = true;
            ByteBuffer bytes = ByteBuffer.wrap(request);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            return SocketAnswer.read(new BufferedInputStream(Channels.newInputStream(channel)));
        }

        SocketAnswer answerWithin(Duration limit) throws IOException, TimeoutException, InterruptedException {
            try {
                return answer.get(Durations.nanos(limit), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                if (!isConnected) {
                    throw new NoConnection(socket, cause);
                }
                if (cause instanceof ForeignAnswer foreign) {
                    throw foreign;
                }
                throw cause instanceof IOException broken ? broken : new IOException(cause);
            } catch (TimeoutException e) {
                if (!isConnected) {
                    throw new NoConnection(socket, e);
                }
                throw e;
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                // What was read counts, and there is nothing else to close.
            }
        }
    }

    /** Where others can put a socket, it may be theirs, and they would read everything that is sent. */
    private void requireOwnDirectory() throws IOException {
        Path directory = Objects.requireNonNull(socket.toAbsolutePath().getParent());
        PosixFileAttributes found = Files.readAttributes(directory, PosixFileAttributes.class);
        if (!Collections.disjoint(found.permissions(), OF_OTHERS)) {
            throw new IOException("others may write to the directory: run chmod 700 " + directory);
        }
        String user = System.getProperty("user.name", UNNAMED);
        if (!user.equals(UNNAMED) && !found.owner().getName().equals(user)) {
            throw new IOException("the directory belongs to " + found.owner().getName());
        }
    }

    private static byte[] written(Request request) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", "localhost");
        headers.put("Connection", "close");
        W3CTraceContextPropagator.getInstance().inject(Context.current(), headers, SocketWire::addHeader);
        if (request.key() != null) {
            headers.put("Idempotency-Key", new IdempotencyKey(request.key()).header());
        }
        byte[] body = request.json();
        byte[] content = body == null ? new byte[0] : body;
        if (body != null) {
            headers.put("Content-Type", "application/json");
            headers.put("Content-Length", Integer.toString(content.length));
        }
        StringBuilder head = new StringBuilder(256)
                .append(request.method())
                .append(' ')
                .append(request.path())
                .append(" HTTP/1.1\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        byte[] first = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(first.length + content.length)
                .put(first)
                .put(content)
                .array();
    }

    /** Sends the context of the current span; without a span, sends nothing. */
    private static void addHeader(@Nullable Map<String, String> to, String name, String value) {
        if (to != null) {
            to.put(name, value);
        }
    }

    /**
     * An HTTP/1.1 answer, read strictly: lines end with CR LF, names are tokens, and the body has exactly the length that one
     * {@code Content-Length} announces. Anything else is a {@link ForeignAnswer}. The head and the body have limits.
     *
     * @param body null if it is larger than any answer of ours
     */
    private record SocketAnswer(int status, HttpHeaders headers, byte @Nullable [] body) {

        private static final int LONGEST_HEAD = 32 * 1024;
        private static final int NO_CONTENT = 204;

        private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([2-5][0-9]{2})(?: [\\x20-\\x7e]*)?");
        private static final Pattern HEADER =
                Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*([\\x20-\\x7e\\t]*?)[ \\t]*");
        private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,17}");

        /** Does not read beyond the body. */
        static SocketAnswer read(InputStream in) throws IOException {
            List<String> head = head(in);
            Matcher status = matched(STATUS, head.getFirst());
            Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            for (String line : head.subList(1, head.size())) {
                Matcher header = matched(HEADER, line);
                fields.computeIfAbsent(header.group(1), name -> new ArrayList<>())
                        .add(header.group(2));
            }
            int number = Integer.parseInt(status.group(1));
            return new SocketAnswer(number, HttpHeaders.of(fields, (name, value) -> true), body(in, number, fields));
        }

        private static Matcher matched(Pattern pattern, String line) {
            Matcher matcher = pattern.matcher(line);
            if (!matcher.matches()) {
                throw new ForeignAnswer("it is not HTTP/1.1");
            }
            return matcher;
        }

        private static List<String> head(InputStream in) throws IOException {
            List<String> lines = new ArrayList<>();
            int left = LONGEST_HEAD;
            for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
                lines.add(line);
                left -= line.length() + 2;
            }
            if (lines.isEmpty()) {
                throw new ForeignAnswer("it begins with an empty line");
            }
            return lines;
        }

        private static String line(InputStream in, int most) throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = in.read(); next != '\r'; next = in.read()) {
                if (next < 0) {
                    throw new EOFException("the answer breaks off");
                }
                if (next == '\n' || line.size() >= most) {
                    throw new ForeignAnswer(next == '\n' ? "it has a bare line feed" : "its head is too long");
                }
                line.write(next);
            }
            if (in.read() != '\n') {
                throw new ForeignAnswer("it has a bare carriage return");
            }
            return line.toString(StandardCharsets.ISO_8859_1);
        }

        private static byte @Nullable [] body(InputStream in, int status, Map<String, List<String>> fields)
                throws IOException {
            List<String> lengths = fields.getOrDefault("Content-Length", List.of());
            if (fields.containsKey("Transfer-Encoding") || lengths.size() > 1) {
                throw new ForeignAnswer("its length is not one Content-Length");
            }
            if (lengths.isEmpty()) {
                if (status == NO_CONTENT) {
                    return new byte[0];
                }
                throw new ForeignAnswer("it has no Content-Length");
            }
            long length = Long.parseLong(matched(LENGTH, lengths.getFirst()).group());
            if (length > Answers.LARGEST.bytes()) {
                return null;
            }
            byte[] body = in.readNBytes((int) length);
            if (body.length < length) {
                throw new EOFException("the answer breaks off");
            }
            return body;
        }
    }
}
