package dev.tallystick.exchange.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.exchange.Party;
import dev.tallystick.exchange.TransportContract;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.sql.Database;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract, between two HTTP servers that each have their own database. */
class HttpTransportTest extends TransportContract {

    private static final String TOKEN = "secret";

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer acmesServer;
    private HttpServer globexsServer;
    private PostgresTransport acmesTable;
    private PostgresTransport globexsTable;

    @BeforeEach
    void serve() throws IOException {
        acmesTable = new PostgresTransport(Database.on(acmes.dataSource()), "acme-server");
        globexsTable = new PostgresTransport(Database.on(globexs.dataSource()), "globex-server");
        acmesServer = server(acmesTable);
        globexsServer = server(globexsTable);
    }

    @AfterEach
    void stop() {
        acmesServer.stop(0);
        globexsServer.stop(0);
        acmesTable.close();
        globexsTable.close();
        threads.close();
    }

    @Override
    public Transport open(String self) {
        // In the tests of the transport alone, everything is sent to and received at the subject's own server.
        PostgresTransport at = new PostgresTransport(
                Database.on(self.equals("acme") ? acmes.dataSource() : globexs.dataSource()), self);
        Map<Participant, HttpTransport.Partner> partners = self.equals("acme") || self.equals("globex")
                ? Map.of(Party.GLOBEX, at(globexsServer, TOKEN), Party.ACME, at(acmesServer, TOKEN))
                : Map.of(Party.GLOBEX, at(globexsServer, TOKEN), Party.ACME, at(globexsServer, TOKEN));
        return new HttpTransport(HttpClient.newHttpClient(), partners, at);
    }

    @Override
    public void wipe() {
        acmesTable.wipe();
        globexsTable.wipe();
    }

    @Test
    void a_partner_without_a_token_or_address_is_refused() {
        Address globex = new Address(Topic.POSTINGS, Party.GLOBEX);
        try (Transport unknown = new HttpTransport(
                HttpClient.newHttpClient(),
                Map.of(Party.GLOBEX, at(globexsServer, "wrong")),
                new PostgresTransport(Database.on(acmes.dataSource()), "x"))) {
            assertThatThrownBy(() -> unknown.publish(globex, List.of(new byte[] {1})))
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("401");
            assertThatThrownBy(() -> unknown.publish(new Address(Topic.RESULTS, Party.ACME), List.of(new byte[] {1})))
                    .hasMessageContaining("no address");
        }
    }

    @Test
    void what_is_not_a_packet_is_refused() {
        PacketInbox inbox = new PacketInbox(globexsTable);
        Address globex = new Address(Topic.POSTINGS, Party.GLOBEX);

        assertThat(inbox.deliver(globex, new byte[] {0, 0, 0, 9, 1})).isEqualTo(new PacketInbox.Delivery.Refused());
        assertThat(inbox.deliver(globex, new byte[0])).isEqualTo(new PacketInbox.Delivery.Refused());
        assertThat(inbox.deliver(globex, new byte[] {-1, 0, 0, 9, 1})).isEqualTo(new PacketInbox.Delivery.Refused());
        assertThat(globexsTable.waiting(globex, 10)).isZero();
    }

    private static HttpTransport.Partner at(HttpServer server, String token) {
        return new HttpTransport.Partner(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()), token);
    }

    private HttpServer server(PostgresTransport table) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        PacketInbox inbox = new PacketInbox(table);
        server.createContext("/v1/exchange/", exchange -> answer(exchange, inbox));
        server.setExecutor(threads);
        server.start();
        return server;
    }

    private static void answer(HttpExchange exchange, PacketInbox inbox) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String[] path = exchange.getRequestURI().getPath().split("/");
            boolean authorised =
                    ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
            ObjectValue request = (ObjectValue) Json.parse(body, new JsonLimits(4 << 20, 4));
            byte[] packet = Base64.getDecoder()
                    .decode(((StringValue)
                                    Objects.requireNonNull(request.members().get("packet")))
                            .value());
            Address address = new Address(Topic.valueOf(path[3].toUpperCase(Locale.ROOT)), new Participant(path[4]));
            PacketInbox.Delivery delivery =
                    authorised ? inbox.deliver(address, packet) : new PacketInbox.Delivery.Refused();
            byte[] answer = ("{\"taken\":" + Packets.split(packet).size() + "}").getBytes(UTF_8);
            exchange.sendResponseHeaders(
                    authorised ? (delivery instanceof PacketInbox.Delivery.Taken ? 202 : 503) : 401, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }
}
