package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.Reply;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.testkit.TestPostgres;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The Java of the guide about messages and webhooks. */
class MessageGuideTest {

    @RegisterExtension
    static final TestPostgres postgres = ServerUnderTest.tables(TestPostgres.perClass());

    @TempDir
    static Path data;

    private static ServerUnderTest server;

    @BeforeAll
    static void start() {
        server = ServerUnderTest.on(postgres, data);
        server.member("billing", "member");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_message_goes_to_those_who_subscribed_and_is_acknowledged() {
        TallyClient client =
                new TallyClient(server.server().address(), server.admin().token());

        client.put("/v1/topics/orders", Json.parse("{}"));
        client.put("/v1/topics/orders/subscribers/admin", Json.parse("{}"));
        Json order = Json.parse("{\"to\":\"topic:orders\",\"message\":{\"order\":\"42\"}}");
        client.post("/v1/messages", order, new IdempotencyKey("order:42:created"));
        Reply taken = client.post("/v1/deliveries/lease", Json.parse("{\"max\":10,\"wait_seconds\":20}"));

        Json.ArrayValue deliveries = (Json.ArrayValue) Objects.requireNonNull(taken.member("deliveries"));
        assertThat(deliveries.elements()).hasSize(1);
        Json.ObjectValue one = (Json.ObjectValue) deliveries.elements().getFirst();
        Map<String, Json> held = new TreeMap<>(one.members());
        held.keySet().retainAll(List.of("inbox", "message_id", "fence"));
        Json ack = new Json.ObjectValue(Map.of("deliveries", new Json.ArrayValue(List.of(new Json.ObjectValue(held)))));
        assertThat(client.post("/v1/deliveries/ack", ack).body().canonical()).contains("\"done\"");
    }

    @Test
    void a_receiver_knows_who_calls() throws Exception {
        try (Receiver receiver = new Receiver()) {
            Http admin = server.admin();
            String secret = admin.post(
                            "/v1/webhooks", "{\"source\":\"workflow:sample.order\",\"url\":\"" + receiver.url() + "\"}")
                    .text("secret");
            admin.submit("k", "{\"workflow\":\"sample.order\",\"input\":{\"order\":\"42\"}}");

            Receiver.Called called = receiver.next();

            Instant now = sentAt(called.signature());
            assertThat(isFromTallystick(secret, called.signature(), called.body(), now.plusSeconds(299)))
                    .isTrue();
            assertThat(isFromTallystick(secret, called.signature(), called.body(), now.plusSeconds(301)))
                    .as("somebody has kept it, and sends it again")
                    .isFalse();
            called.body()[0] ^= 1;
            assertThat(isFromTallystick(secret, called.signature(), called.body(), now))
                    .isFalse();
        }
    }

    private static Instant sentAt(String signature) {
        return Instant.ofEpochSecond(Long.parseLong(signature.substring("t=".length(), signature.indexOf(','))));
    }

    static boolean isFromTallystick(String secret, String signature, byte[] body, Instant now)
            throws GeneralSecurityException {
        String seconds = signature.substring("t=".length(), signature.indexOf(','));
        Instant signed = Instant.ofEpochSecond(Long.parseLong(seconds));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(HexFormat.of().parseHex(secret), "HmacSHA256"));
        mac.update((seconds + ".").getBytes(StandardCharsets.US_ASCII));
        String wanted = "t=" + seconds + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body));
        return MessageDigest.isEqual(
                        wanted.getBytes(StandardCharsets.US_ASCII), signature.getBytes(StandardCharsets.US_ASCII))
                && Duration.between(signed, now).abs().compareTo(Duration.ofMinutes(5)) < 0;
    }
}
