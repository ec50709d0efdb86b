package dev.tallystick.exchange.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.core.JsonRefused;
import dev.tallystick.core.api.PartnerApi.Packet;
import dev.tallystick.core.api.PartnerApi.PacketTaken;
import dev.tallystick.core.api.RecordBinding;
import dev.tallystick.core.api.RecordRefused;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.message.Participant;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Sends packets to a partner's server, and receives what the partner has sent to ours. Nothing has to be resumed: a packet is
 * one request, and what did not arrive is published again. Give the client a TLS context with a certificate, or each partner a
 * token, or both.
 */
public final class HttpTransport implements Transport {

    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final int TAKEN = 202;

    /** A server takes a body of 1 MiB, and base64 makes it a third longer. */
    private static final int MAX_BYTES = 700 * 1024;

    private static final JsonLimits ANSWER = new JsonLimits(64 * 1024, 4);

    /**
     * How to reach a partner.
     *
     * @param server the address of its server, without a path
     * @param token its token for us; empty for none
     */
    public record Partner(URI server, String token) {

        URI inbox(Address address) {
            return server.resolve("/v1/exchange/" + address.topic().word() + "/" + address.subject());
        }
    }

    private final HttpClient client;
    private final Map<Participant, Partner> partners;
    private final PostgresTransport local;

    /** @param local where our own server puts what partners send */
    public HttpTransport(HttpClient client, Map<Participant, Partner> partners, PostgresTransport local) {
        this.client = client;
        this.partners = Map.copyOf(partners);
        this.local = local;
    }

    @Override
    public void publish(Address address, List<byte[]> messages) {
        Partner partner = partners.get(address.subject());
        if (partner == null) {
            throw new TransportException(address.subject() + " has no address: add it to the partners", null);
        }
        for (List<byte[]> part : Packets.parts(messages, MAX_BYTES, ExchangeSettings.BATCH)) {
            post(partner, address, part);
        }
    }

    private void post(Partner partner, Address address, List<byte[]> messages) {
        HttpRequest.Builder request = HttpRequest.newBuilder(partner.inbox(address))
                .timeout(LONGEST)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(body(messages)));
        if (!partner.token().isEmpty()) {
            request.header("Authorization", "Bearer " + partner.token());
        }
        Reply response = send(request.build(), address);
        if (response.statusCode() != TAKEN || !isTaken(response.body(), messages.size())) {
            throw new TransportException(
                    "the server of " + address.subject() + " answered " + response.statusCode() + " and has not taken "
                            + messages.size() + " messages",
                    null);
        }
    }

    private static byte[] body(List<byte[]> messages) {
        String packet = Base64.getEncoder().encodeToString(Packets.join(messages));
        return RecordBinding.text(new Packet(packet)).getBytes(UTF_8);
    }

    /** Only an answer of this shape counts: anything in between may answer with any status. */
    private static boolean isTaken(byte[] body, int messages) {
        try {
            Object answer = RecordBinding.ofAnswer(PacketTaken.class).read(Json.parse(body, ANSWER));
            return answer.equals(new PacketTaken(messages));
        } catch (JsonRefused | RecordRefused e) {
            return false;
        }
    }

    private record Reply(int statusCode, byte[] body) {}

    private Reply send(HttpRequest request, Address address) {
        try {
            HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                return new Reply(response.statusCode(), body.readNBytes(ANSWER.bytes()));
            }
        } catch (IOException e) {
            throw new TransportException("cannot reach the server of " + address.subject() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransportException("interrupted", e);
        }
    }

    @Override
    public boolean receive(Address address, int max, Duration wait, Receiver receiver) {
        return local.receive(address, max, wait, receiver);
    }

    @Override
    public void close() {
        local.close();
    }
}
