package dev.tallystick.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands between clients and one server after another, and sees on the wire what a server leaves unanswered when it goes: whole
 * requests that it was sent, and of whose answers not a byte came back.
 */
final class WatchedWire implements AutoCloseable {

    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *([0-9]+)\r\n");
    private static final String END_OF_HEAD = "\r\n\r\n";

    private final int server;
    private final ServerSocket listener;
    private final Map<Integer, Integer> unanswered = new ConcurrentHashMap<>();
    private volatile int life;

    /** @param server the port on which each of the servers listens in its turn */
    WatchedWire(int server) {
        this.server = server;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** From now on what connects belongs to this life of the server. */
    void begins(int number) {
        life = number;
    }

    /** How many requests each life has left unanswered; those that left none are missing. */
    Map<Integer, Integer> unanswered() {
        return unanswered;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> connect(client, life));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Socket client, int number) {
        AtomicBoolean owed = new AtomicBoolean();
        try (client;
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server)) {
            Thread up = Thread.ofVirtual().start(() -> ask(client, upstream, owed));
            try {
                answer(upstream, client, owed);
            } finally {
                if (owed.get()) {
                    unanswered.merge(number, 1, Integer::sum);
                }
                client.close();
                up.join();
            }
        } catch (IOException gone) {
            // There is no server at the moment, or it went: the client sees the same.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** An answer is owed from the moment at which the last byte of a request has gone up. */
    private static void ask(Socket client, Socket upstream, AtomicBoolean owed) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            InputStream in = client.getInputStream();
            OutputStream out = upstream.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                request.write(buffer, 0, n);
                boolean whole = isWhole(request.toString(StandardCharsets.ISO_8859_1));
                out.write(buffer, 0, n);
                out.flush();
                if (whole) {
                    request.reset();
                    owed.set(true);
                }
            }
            upstream.close();
        } catch (IOException gone) {
            // Seen on the way down as well.
        }
    }

    private static boolean isWhole(String request) {
        int head = request.indexOf(END_OF_HEAD);
        Matcher length = LENGTH.matcher(request);
        return head >= 0
                && request.length() - head - END_OF_HEAD.length()
                        == (length.find() ? Integer.parseInt(length.group(1)) : 0);
    }

    private static void answer(Socket upstream, Socket client, AtomicBoolean owed) throws IOException {
        byte[] buffer = new byte[8192];
        InputStream in = upstream.getInputStream();
        OutputStream out = client.getOutputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            owed.set(false);
            out.write(buffer, 0, n);
            out.flush();
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
