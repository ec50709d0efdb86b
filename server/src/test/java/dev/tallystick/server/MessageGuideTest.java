package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.client.Deliveries.Delivery;
import dev.tallystick.client.Deliveries.Outcome;
import dev.tallystick.client.Deliveries.Take;
import dev.tallystick.client.Messages.NewMessage;
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
import java.util.UUID;
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

        client.topics().create("orders");
        client.topics().subscribe("orders", "admin");
        NewMessage order = NewMessage.toTopic("orders", Json.parse("{\"order\":\"42\"}"));
        client.messages().send(order, new IdempotencyKey("order:42:created"));
        List<Delivery> taken = client.deliveries().take(Take.atMost(10).waiting(Duration.ofSeconds(20)));
        List<Outcome> outcomes = client.deliveries().acknowledge(taken);

        assertThat(taken)
                .extracting(delivery -> delivery.message().body())
                .containsExactly(Json.parse("{\"order\":\"42\"}"));
        assertThat(outcomes).containsExactly(Outcome.DONE);
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
            assertThat(isFromTallystick(
                            secret, called.signature(), called.messageId(), called.body(), now.plusSeconds(299)))
                    .isTrue();
            assertThat(isFromTallystick(
                            secret, called.signature(), called.messageId(), called.body(), now.plusSeconds(301)))
                    .as("an old call is sent again")
                    .isFalse();
            assertThat(isFromTallystick(
                            secret, called.signature(), UUID.randomUUID().toString(), called.body(), now))
                    .as("a repeat is made to look new")
                    .isFalse();
            called.body()[0] ^= 1;
            assertThat(isFromTallystick(secret, called.signature(), called.messageId(), called.body(), now))
                    .isFalse();
        }
    }

    private static Instant sentAt(String signature) {
        return Instant.ofEpochSecond(Long.parseLong(signature.substring("t=".length(), signature.indexOf(','))));
    }

    static boolean isFromTallystick(String secret, String signature, String messageId, byte[] body, Instant now)
            throws GeneralSecurityException {
        String seconds = signature.substring("t=".length(), signature.indexOf(','));
        Instant signed = Instant.ofEpochSecond(Long.parseLong(seconds));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(HexFormat.of().parseHex(secret), "HmacSHA256"));
        mac.update((seconds + "." + messageId + ".").getBytes(StandardCharsets.US_ASCII));
        String wanted = "t=" + seconds + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body));
        return MessageDigest.isEqual(
                        wanted.getBytes(StandardCharsets.US_ASCII), signature.getBytes(StandardCharsets.US_ASCII))
                && Duration.between(signed, now).abs().compareTo(Duration.ofMinutes(5)) < 0;
    }
}
