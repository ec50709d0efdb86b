package dev.tallystick.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Does something to the first requests that go through it, and lets the others pass. */
final class FaultyProxy implements AutoCloseable {

    private static final int PACE_MILLIS = 20;

    private final ServerSocket socket;
    private final URI server;
    private final Fault fault;
    private final int times;
    private final AtomicInteger requests = new AtomicInteger();

    /** @param times how many requests it happens to */
    FaultyProxy(URI server, Fault fault, int times) {
        this.server = server;
        this.fault = fault;
        this.times = times;
        try {
            this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::serve);
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }

    /** How many requests have come. */
    int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve() {
        try {
            while (true) {
                Socket caller = socket.accept();
                Thread.ofVirtual().start(() -> answer(caller));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void answer(Socket caller) {
        try (caller) {
            byte[] request = read(new BufferedInputStream(caller.getInputStream()));
            happen(requests.incrementAndGet() <= times ? fault : Fault.NONE, request, caller);
        } catch (IOException gone) {
            // As the caller likes, or the server.
        }
    }

    private void happen(Fault what, byte[] request, Socket caller) throws IOException {
        switch (what) {
            case NONE -> write(caller, forward(request));
            case DROP_BEFORE -> {}
            case DROP_AFTER -> forward(request);
            case TRUNCATE -> {
                byte[] answer = forward(request);
                write(caller, Arrays.copyOf(answer, answer.length / 2));
            }
            case DELAY -> {
                forward(request);
                caller.getInputStream().transferTo(OutputStream.nullOutputStream());
            }
            case DUPLICATE -> {
                byte[] first = forward(request);
                forward(request);
                write(caller, first);
            }
            case WRONG_TYPE -> write(caller, withoutType(forward(request)));
            case EMPTY_200 -> say(caller, "200 OK", "Content-Type: application/json", "");
            case BRACES_200 -> say(caller, "200 OK", "Content-Type: application/json", "{}");
            case PAGE_200 -> say(caller, "200 OK", "Content-Type: text/html", "<html>Sign in first</html>");
            case EMPTY_204 -> say(caller, "204 No Content", "Server: gate", "");
            case MOVED_301 -> say(caller, "301 Moved Permanently", "Location: /elsewhere", "");
            case FOREIGN_404 ->
                say(caller, "404 Not Found", "Content-Type: application/problem+json", "{\"code\":\"not_found\"}");
            case FOREIGN_429 -> say(caller, "429 Too Many Requests", "Retry-After: 0", "slow down");
            case FOREIGN_502 -> say(caller, "502 Bad Gateway", "Content-Type: text/html", "<html>nginx</html>");
            case ENDLESS -> goOnForEver(caller);
        }
    }

    private byte[] forward(byte[] request) throws IOException {
        try (Socket upstream = new Socket(server.getHost(), server.getPort())) {
            upstream.getOutputStream().write(request);
            return upstream.getInputStream().readAllBytes();
        }
    }

    private static byte[] withoutType(byte[] answer) {
        String text = new String(answer, StandardCharsets.ISO_8859_1);
        return text.replaceFirst("(?i)content-type: [^\r]*", "Content-Type: text/html")
                .replaceFirst("(?i)tally-api: [^\r]*\r\n", "")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void say(Socket caller, String status, String header, String body) throws IOException {
        write(
                caller,
                ("HTTP/1.1 " + status + "\r\n" + header + "\r\nConnection: close\r\nContent-Length: " + body.length()
                                + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.US_ASCII));
    }

    private static void goOnForEver(Socket caller) throws IOException {
        caller.setSoTimeout(PACE_MILLIS);
        write(caller, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        int heard = 0;
        while (heard >= 0) {
            write(caller, new byte[] {' '});
            try {
                heard = caller.getInputStream().read();
            } catch (SocketTimeoutException e) {
                // Still there.
            }
        }
    }

    private static void write(Socket caller, byte[] bytes) throws IOException {
        caller.getOutputStream().write(bytes);
        caller.getOutputStream().flush();
    }

    /** A whole request, which asks for one answer and no more. */
    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        int length = 0;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).strip());
            }
            request.writeBytes((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        }
        request.writeBytes("Connection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(in.readNBytes(length));
        return request.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the caller is gone");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }
}
