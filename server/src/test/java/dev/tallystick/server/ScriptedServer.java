package dev.tallystick.server;

import dev.tallystick.testkit.Signal;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Does to each caller in turn what its script says, in place of a server; the last turn is for all that follow. */
final class ScriptedServer implements AutoCloseable {

    /** What is done to a caller, once its request was read. */
    interface Turn {
        void play(Socket caller) throws IOException;
    }

    private final ServerSocket socket;
    private final List<Turn> script;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();

    ScriptedServer(Turn... script) {
        this.script = List.of(script);
        try {
            this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::serve);
    }

    /** The request arrives, and its answer is lost. */
    static Turn hangUp() {
        return caller -> {};
    }

    static Turn answer(int status, String json) {
        return answer(status, json, "Content-Type: application/json");
    }

    static Turn answer(int status, String body, String... headers) {
        return caller -> write(
                caller,
                "HTTP/1.1 " + status + " Said\r\n" + String.join("\r\n", headers)
                        + "\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    static Turn refuse(int status, String code, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.add("Content-Type: application/problem+json");
        return answer(
                status,
                "{\"type\":\"urn:tallystick:problem:" + code + "\",\"code\":\"" + code
                        + "\",\"detail\":\"as the script says\"}",
                all.toArray(String[]::new));
    }

    /** What a server says of itself. */
    static Turn features(String... names) {
        String list = names.length == 0 ? "" : "\"" + String.join("\",\"", names) + "\"";
        return answer(
                200,
                "{\"api\":\"v1\",\"features\":[" + list
                        + "],\"installation_id\":\"00000000-0000-4000-8000-000000000000\","
                        + "\"dedupe\":{\"mode\":\"retention_scoped\",\"retention_days\":365},"
                        + "\"max_payload\":{\"inline_bytes\":1048576},"
                        + "\"max_request_bytes\":1310720,\"versions\":[\"v1\"]}");
    }

    /** The answer begins like that of a long poll, and never continues. */
    static Turn beginAndFallSilent(Signal callerGone) {
        return caller -> {
            write(caller, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
            write(caller, "1\r\n \r\n");
            readUntilGone(caller, callerGone);
        };
    }

    /** The request arrives, and nothing is said. */
    static Turn fallSilent(Signal callerGone) {
        return caller -> readUntilGone(caller, callerGone);
    }

    /**
     * An answer begins that has no end, and no end of a line.
     *
     * @param sent how many bytes of it went out
     */
    static Turn goOnForEver(String type, AtomicLong sent, Signal callerGone) {
        return caller -> {
            try {
                write(caller, "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n\r\n");
                String much = " ".repeat(64 * 1024);
                while (true) {
                    write(caller, much);
                    sent.addAndGet(much.length());
                }
            } finally {
                callerGone.fire();
            }
        };
    }

    /** A stream of server-sent events begins, says this much, and ends as it should. */
    static Turn endAfter(String events) {
        return caller -> write(caller, stream(events) + "0\r\n\r\n");
    }

    /** A stream of server-sent events begins, says this much, and breaks off. */
    static Turn breakOffAfter(String events) {
        return caller -> write(caller, stream(events));
    }

    /** A stream of server-sent events begins, says this much, and nothing more. */
    static Turn fallSilentAfter(String events, Signal callerGone) {
        return caller -> {
            write(caller, stream(events));
            readUntilGone(caller, callerGone);
        };
    }

    private static String stream(String events) {
        return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(events.length()) + "\r\n" + events + "\r\n";
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }

    /** The bodies of the requests that came, by their order. */
    List<String> requests() {
        return requests;
    }

    /** Where they went, with their queries. */
    List<String> paths() {
        return paths;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void serve() {
        try {
            for (int number = 0; ; number++) {
                Socket caller = socket.accept();
                Turn turn = script.get(Math.min(number, script.size() - 1));
                Thread.ofVirtual().start(() -> play(caller, turn));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void play(Socket caller, Turn turn) {
        try (caller) {
            InputStream in = new BufferedInputStream(caller.getInputStream());
            paths.add(line(in).split(" ", -1)[1]);
            requests.add(read(in));
            turn.play(caller);
        } catch (IOException gone) {
            // As the caller likes.
        }
    }

    private static String read(InputStream in) throws IOException {
        int length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            String lower = line.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(
                        lower.substring("content-length:".length()).strip());
            }
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the caller is gone");
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }

    private static void write(Socket caller, String text) throws IOException {
        caller.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        caller.getOutputStream().flush();
    }

    private static void readUntilGone(Socket caller, Signal gone) {
        try {
            while (caller.getInputStream().read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            // Gone as well.
        } finally {
            gone.fire();
        }
    }
}
