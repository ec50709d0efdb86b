package dev.tallystick.broker.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A slow receiver cannot hold up a call beyond its limit. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WebhookRequestTest {

    private static final WebhookRequest.Outcome TOO_LONG =
            new WebhookRequest.Outcome.Failed("the call took longer than 0.3 s");
    private static final byte[] SHORT = {1};
    private static final byte[] MORE_THAN_THE_BUFFERS_HOLD = new byte[32 * 1024 * 1024];

    private final WebhookRequest webhookRequest =
            new WebhookRequest(InetAddress::isLoopbackAddress, Duration.ofMillis(300));
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getByName("localhost"));
    }

    @AfterEach
    void close() throws IOException {
        threads.shutdownNow();
        server.close();
    }

    @Test
    void who_answers_in_time_has_answered() {
        answer("HTTP/1.1 204 No Content\r\n\r\n");

        assertThat(post("http", SHORT)).isEqualTo(new WebhookRequest.Outcome.Answered(204));
    }

    @Test
    void what_is_said_before_the_answer_is_not_the_answer() {
        answer("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");

        assertThat(post("http", SHORT)).isEqualTo(new WebhookRequest.Outcome.Answered(200));
    }

    @Test
    void who_never_comes_to_its_answer_has_failed() {
        answer("HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000));

        assertThat(post("http", SHORT)).isInstanceOf(WebhookRequest.Outcome.Failed.class);
    }

    @Test
    void another_protocol_is_no_answer_to_a_call() {
        answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n");

        assertThat(post("http", SHORT)).isEqualTo(new WebhookRequest.Outcome.Answered(101));
    }

    private void answer(String text) {
        Future<?> unused = threads.submit(() -> {
            try (Socket peer = server.accept()) {
                peer.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
                return peer.getInputStream().readAllBytes();
            }
        });
    }

    @Test
    void a_receiver_that_never_answers_is_cut_off_at_the_limit() {
        assertThat(post("http", SHORT)).isEqualTo(TOO_LONG);
    }

    @Test
    void a_receiver_that_never_reads_is_cut_off_at_the_limit() {
        assertThat(post("http", MORE_THAN_THE_BUFFERS_HOLD)).isEqualTo(TOO_LONG);
    }

    @Test
    void a_receiver_that_answers_byte_by_byte_is_cut_off_at_the_limit() {
        Future<Socket> peer = threads.submit(server::accept);
        Future<?> unused = threads.scheduleAtFixedRate(() -> drip(peer), 0, 50, TimeUnit.MILLISECONDS);

        assertThat(post("http", SHORT)).isEqualTo(TOO_LONG);
    }

    @Test
    void a_receiver_that_never_shakes_hands_is_cut_off_at_the_limit() {
        assertThat(post("https", SHORT)).isEqualTo(TOO_LONG);
    }

    private WebhookRequest.Outcome post(String scheme, byte[] body) {
        return webhookRequest.post(URI.create(scheme + "://localhost:" + server.getLocalPort() + "/"), Map.of(), body);
    }

    private static void drip(Future<Socket> peer) {
        try {
            peer.get().getOutputStream().write('H');
        } catch (IOException | ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
