package dev.tallystick.log.witness;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tallystick.log.note.SignedNote;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A witness over HTTP, with the two calls of C2SP tlog-witness. Put a proxy in front of it that speaks TLS and limits callers. */
public final class WitnessServer implements Closeable {

    private static final int BACKLOG = 100;
    private static final String CHECKPOINT = "/checkpoint";

    private final Witness witness;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private WitnessServer(Witness witness, HttpServer server) {
        this.witness = witness;
        this.server = server;
        server.createContext("/add-checkpoint", this::add);
        server.createContext("/", this::show);
        server.setExecutor(threads);
    }

    /**
     * Serves a witness on this machine, and closes it in the end.
     *
     * @param port 0 for any free one
     */
    public static WitnessServer start(Witness witness, int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        WitnessServer server = new WitnessServer(witness, HttpServer.create(address, BACKLOG));
        server.server.start();
        return server;
    }

    /** The prefix of its addresses. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private void add(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) {
            answer(exchange, new Witness.Answer(405, "POST a checkpoint\n"));
            return;
        }
        byte[] body = exchange.getRequestBody().readNBytes(Witness.LONGEST_BODY + 1);
        answer(
                exchange,
                body.length > Witness.LONGEST_BODY
                        ? new Witness.Answer(413, "the request is too long\n")
                        : witness.addCheckpoint(new String(body, UTF_8)));
    }

    private void show(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Optional<SignedNote> found = exchange.getRequestMethod().equals("GET") && path.endsWith(CHECKPOINT)
                ? witness.cosigned(path.substring(1, path.length() - CHECKPOINT.length()))
                : Optional.empty();
        answer(
                exchange,
                found.map(note -> new Witness.Answer(Witness.OK, note.toString()))
                        .orElse(new Witness.Answer(404, "no such checkpoint\n")));
    }

    private static void answer(HttpExchange exchange, Witness.Answer answer) throws IOException {
        byte[] body = answer.body().getBytes(UTF_8);
        exchange.getResponseHeaders()
                .set(
                        "Content-Type",
                        answer.status() == Witness.CONFLICT ? "text/x.tlog.size" : "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        threads.shutdownNow();
        witness.close();
    }
}
