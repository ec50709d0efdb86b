package dev.tallystick.daemon.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tallystick.client.TallyClient;
import dev.tallystick.daemon.outbox.SendLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the daemon makes of servers that are not as ours is. */
class ClientUpstreamTest {

    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer("/v1/me", "{\"mesh\":\"default\",\"name\":\"laptop\",\"id\":\"m-1\",\"roles\":[\"member\"]}");
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"\"v2\" | \"message-batches\" | the server speaks [v2]", "\"v1\" | \"jobs\" | takes no batches"})
    void a_server_that_lacks_something_is_unsuitable(String versions, String features, String why) {
        answer("/v1/features", features(versions, features, 1_048_576, 1_310_720));

        assertThat(meeting())
                .isInstanceOfSatisfying(
                        Upstream.Meeting.Unsuitable.class,
                        unsuitable -> assertThat(unsuitable.why()).contains(why));
    }

    @Test
    void limits_that_no_daemon_can_follow_are_cut() {
        answer("/v1/features", features("\"v1\"", "\"message-batches\"", Integer.MAX_VALUE, 0));

        assertThat(meeting())
                .isInstanceOfSatisfying(
                        Upstream.Meeting.Met.class,
                        met -> assertThat(met.facts().limits()).isEqualTo(new SendLimits(64 * 1024 * 1024, 1)));
    }

    private Upstream.Meeting meeting() {
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        TallyClient client = new TallyClient(address, "t", Duration.ofSeconds(10));
        return new ClientUpstream(() -> client, unused -> {}).meet();
    }

    private static String features(String versions, String features, int bodyBytes, int requestBytes) {
        return "{\"api\":\"v1\",\"features\":[" + features
                + "],\"installation_id\":\"00000000-0000-4000-8000-000000000000\","
                + "\"dedupe\":{\"mode\":\"retention_scoped\",\"retention_days\":365},"
                + "\"max_payload\":{\"inline_bytes\":" + bodyBytes + "},\"max_request_bytes\":" + requestBytes
                + ",\"versions\":[" + versions + "]}";
    }

    private void answer(String path, String json) {
        server.createContext(path, exchange -> {
            byte[] body = json.getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }
}
