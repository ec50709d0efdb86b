package dev.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream whose other side is gone without a word. */
@Timeout(60)
class MessageStreamTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** Too short only makes the client come back more often than it would have to. */
    private static final Duration SILENCE = Duration.ofMillis(200);

    @Test
    void a_stream_that_falls_silent_is_hung_up_and_goes_on_over_another_connection() throws Exception {
        try (SilentServer server = new SilentServer();
                EventStream<Messages.Entry> orders = new Feed<>(
                        new MessageStream(
                                new Transport(server.address(), "t", SOON, null),
                                position -> Request.get("/v1/history/stream?after=" + position),
                                SILENCE),
                        3)) {
            assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(4L);
            assertThat(orders.next(SOON)).map(Messages.Entry::position).contains(5L);

            assertThat(server.hungUp.tryAcquire(SOON.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** Sends each caller the one event after the position that it asks for, and then neither says nor ends anything. */
    private static final class SilentServer implements AutoCloseable {

        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final Semaphore hungUp = new Semaphore(0);

        SilentServer() throws IOException {
            Thread.ofVirtual().start(this::serve);
        }

        URI address() {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            socket.close();
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
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(caller.getInputStream(), StandardCharsets.US_ASCII));
                String asked = in.readLine();
                long after = Long.parseLong(asked.replaceFirst(".*after=(\\d+).*", "$1"));
                caller.getOutputStream().write(event(after + 1).getBytes(StandardCharsets.US_ASCII));
                while (in.readLine() != null) {
                    Thread.onSpinWait();
                }
            } catch (IOException gone) {
                // As the caller likes.
            } finally {
                hungUp.release();
            }
        }

        private static String event(long position) {
            String event = "data: {\"position\":" + position
                    + ",\"history_id\":\"00000000-0000-7000-8000-000000000001\",\"message\":"
                    + "{\"message_id\":\"00000000-0000-7000-8000-000000000000\",\"from\":\"shop\","
                    + "\"to\":\"topic:orders\",\"message\":\"x\",\"priority\":\"next\",\"mentions\":[],"
                    + "\"accepted_at\":\"2030-01-31T12:00:00Z\"}}\n\n";
            return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Integer.toHexString(event.length()) + "\r\n" + event + "\r\n";
        }
    }
}
