package dev.tallystick.exchange.transport.nats;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tallystick.exchange.TransportContract;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract, on Debian's NATS server; skipped where it is not installed. */
class NatsTransportTest extends TransportContract {

    private static final Path PROGRAM = Path.of("/usr/sbin/nats-server");

    @TempDir
    Path storage;

    private int port;
    private Process server;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(Files.isExecutable(PROGRAM), "needs Debian's package nats-server");
        port = freePort();
        serve();
    }

    @AfterEach
    void stop() {
        server.destroyForcibly();
    }

    @Override
    public Transport open(String self) {
        return new NatsTransport("nats://127.0.0.1:" + port);
    }

    /** Kills the server, deletes its files, and starts it again. */
    @Override
    public void wipe() {
        try {
            server.destroyForcibly().waitFor();
            try (Stream<Path> files = Files.walk(storage)) {
                files.sorted(Comparator.reverseOrder())
                        .filter(file -> !file.equals(storage))
                        .forEach(file -> file.toFile().delete());
            }
            serve();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve() throws IOException {
        server = new ProcessBuilder(
                        PROGRAM.toString(),
                        "--addr",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(port),
                        "--jetstream",
                        "--store_dir",
                        storage.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Eventually.holds("the NATS server to listen", () -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return true;
            }
        });
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
