package dev.tallystick.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Listens in a daemon's directory, and gives one answer to everything. */
public final class DaemonScript implements AutoCloseable {

    private final ServerSocketChannel socket;
    private final String answer;
    private final List<String> requests = new CopyOnWriteArrayList<>();

    public DaemonScript(Path directory, int status, String type, String body) {
        this.answer = "HTTP/1.1 " + status + " Said\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body;
        try {
            this.socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            socket.bind(UnixDomainSocketAddress.of(directory.resolve("daemon.sock")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::serve);
    }

    /** What was posted. */
    public List<String> requests() {
        return requests;
    }

    private void serve() {
        try {
            while (true) {
                try (SocketChannel caller = socket.accept()) {
                    String request = read(caller);
                    if (request.startsWith("POST")) {
                        requests.add(request);
                    }
                    caller.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
                }
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    /** Each request ends with a brace, or with its head. */
    private static String read(SocketChannel caller) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        String text = "";
        while (!text.endsWith("}") && !text.startsWith("GET")) {
            if (caller.read(buffer) < 0) {
                throw new IOException("the caller is gone");
            }
            text = new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
        }
        return text;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
