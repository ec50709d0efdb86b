package dev.tallystick.keys;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The handler that the guide shows, so that it compiles and does what the guide says. */
class IdempotentHandlerTest {

    @RegisterExtension
    static final TestPostgres postgres = TestKeys.postgres();

    record PaymentHandler(KeyLedger keys, Provider provider) implements HttpHandler {

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            String header = exchange.getRequestHeaders().getFirst("Idempotency-Key");
            if (header == null) {
                answer(exchange, 400, "no Idempotency-Key");
                return;
            }
            Json payment = Json.parse(exchange.getRequestBody().readAllBytes());
            IdempotencyKey named = IdempotencyKey.ofHeader(header);
            ScopedKey key = new ScopedKey(new Scope("default", "web"), named);
            Once once = keys.once(key, fingerprint(payment), () -> Verdict.commit(provider.charge(named, payment)));
            switch (once) {
                case Once.Ran ran -> answer(exchange, 201, text(ran.entry()));
                case Once.Replayed replayed -> {
                    exchange.getResponseHeaders().set("Idempotency-Replayed", "true");
                    answer(exchange, 200, text(replayed.entry()));
                }
                case Once.Reused reused -> answer(exchange, 409, "this key belongs to another payment");
                case Once.InProgress other -> answer(exchange, 409, "the same request is in progress: try again later");
                case Once.OutcomeUnknown unknown -> answer(exchange, 409, "the outcome is unknown: ask support");
                case Once.Overruled overruled -> answer(exchange, 409, "this key has been resolved by an operator");
                case Once.Released released -> answer(exchange, 503, "nothing happened: try again");
            }
        }

        private static Fingerprint fingerprint(Json payment) {
            Destination payments = Destination.parse("queue:payments");
            return Fingerprint.of(Envelope.of(payments, new Envelope.Body.Document(payment)));
        }

        private static String text(KeyEntry entry) {
            return entry.response() == null ? "" : entry.response().text();
        }
    }

    /** A foreign system that takes money. */
    interface Provider {
        String charge(IdempotencyKey key, Json payment);
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private final List<Json> charged = new CopyOnWriteArrayList<>();
    private final TestLedger ledger = TestLedger.on(postgres.dataSource());
    private final HttpClient client = HttpClient.newHttpClient();
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/payments", new PaymentHandler(ledger.keys(), (key, payment) -> {
            charged.add(payment);
            return "charged " + payment.canonical();
        }));
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
        client.close();
        ledger.close();
    }

    @Test
    void a_payment_is_charged_once_and_a_repeat_gets_the_first_answer() throws Exception {
        HttpResponse<String> first = post("k", "{\"amount\": 3}");
        HttpResponse<String> repeat = post("k", "{ \"amount\":3 }");
        HttpResponse<String> other = post("k", "{\"amount\":4}");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(repeat.statusCode()).isEqualTo(200);
        assertThat(repeat.body()).isEqualTo(first.body()).isEqualTo("charged {\"amount\":3}");
        assertThat(repeat.headers().firstValue("Idempotency-Replayed")).contains("true");
        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(charged).hasSize(1);
    }

    @Test
    void without_a_key_nothing_is_charged() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(address())
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();

        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(400);
        assertThat(charged).isEmpty();
    }

    private HttpResponse<String> post(String key, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(address())
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private URI address() {
        return URI.create("http://localhost:" + server.getAddress().getPort() + "/payments");
    }
}
