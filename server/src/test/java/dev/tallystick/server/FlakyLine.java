package dev.tallystick.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** A line to a server that breaks, again and again, in the middle of what the server says. */
public final class FlakyLine implements AutoCloseable {

    private final ServerSocket socket;
    private final URI server;
    private final IntSupplier bytes;
    private final AtomicInteger breaks = new AtomicInteger();

    /** @param bytes how much of what the server says comes through a connection before it breaks */
    public FlakyLine(URI server, IntSupplier bytes) {
        this.server = server;
        this.bytes = bytes;
        try {
            this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::serve);
    }

    public URI address() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }

    public int breaks() {
        return breaks.get();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void serve() {
        try {
            while (true) {
                Socket caller = socket.accept();
                int limit = bytes.getAsInt();
                Thread.ofVirtual().start(() -> connect(caller, limit));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void connect(Socket caller, int limit) {
        try (caller;
                Socket callee = new Socket(server.getHost(), server.getPort())) {
            Thread.ofVirtual().start(() -> say(caller, callee));
            copy(callee.getInputStream(), caller.getOutputStream(), limit);
            breaks.incrementAndGet();
        } catch (IOException broken) {
            // From another side.
        }
    }

    private static void say(Socket caller, Socket callee) {
        try {
            copy(caller.getInputStream(), callee.getOutputStream(), Integer.MAX_VALUE);
        } catch (IOException broken) {
            // As it does.
        }
    }

    private static void copy(InputStream from, OutputStream to, int limit) throws IOException {
        for (int i = 0; i < limit; i++) {
            int next = from.read();
            if (next < 0) {
                return;
            }
            to.write(next);
        }
    }
}
