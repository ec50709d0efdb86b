package dev.tallystick.exchange.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.SigningKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageFormatTest {

    private static final BatchSignature SIGNATURE =
            BatchSignature.sign(SigningKey.generate(), List.of(new byte[] {1})).getFirst();
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678901Z");
    private static final PostingRef REF = new PostingRef(
            new Participant("acme"),
            new Participant("globex"),
            new MessageId("order-1"),
            Statement.fingerprint(Payload.of("?"), null),
            "");

    static List<Body> bodies() {
        return List.of(
                new Body.Posting(Payload.of("{}"), TIME, null, SIGNATURE),
                new Body.Posting(Payload.of(new byte[] {0, -1}), TIME, new OrderPlace("account 7", 3), SIGNATURE),
                new Body.Receipt(SIGNATURE),
                new Body.Result(ProcessingStatus.OK, Payload.of("done"), "", SIGNATURE, SIGNATURE),
                new Body.Result(ProcessingStatus.REJECTED, Payload.EMPTY, "no \"stock\"", SIGNATURE, SIGNATURE),
                new Body.Acknowledgement(ProcessingStatus.OK, Payload.of(new byte[32]), SIGNATURE),
                new Body.Refusal("ID_REUSED", false, SIGNATURE));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void a_message_survives_its_bytes(Body body) throws MalformedMessageException {
        Message message = message(body);
        byte[] bytes = MessageFormat.write(message);

        assertThat(MessageFormat.read(bytes)).isEqualTo(message);
        assertThat(MessageFormat.write(MessageFormat.read(bytes))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void a_message_without_one_of_its_members_or_with_another_is_refused(Body body) {
        ObjectValue object = (ObjectValue) Json.parse(MessageFormat.write(message(body)));
        for (String name : object.members().keySet()) {
            if (!name.equals("last_datum") && !name.equals("order_key")) {
                Map<String, Json> fewer = new HashMap<>(object.members());
                fewer.remove(name);
                assertRefused(new ObjectValue(fewer).canonicalBytes());
            }
        }
        Map<String, Json> more = new HashMap<>(object.members());
        more.put("surprise", Json.of(true));
        assertRefused(new ObjectValue(more).canonicalBytes());
    }

    @Test
    void what_is_not_a_message_is_refused() {
        for (String text : List.of("", "[]", "{}", "{\"type\":\"posting\"}", "null")) {
            assertRefused(text.getBytes(UTF_8));
        }
        Message message = message(new Body.Receipt(SIGNATURE));
        String good = new String(MessageFormat.write(message), UTF_8);
        for (String[] change : new String[][] {
            {"\"acme\"", "\"ACME\""},
            {"\"order-1\"", "\"\""},
            {"ACKED_POSTING", "ACKED_RESULT"},
            {"\"replays\":2", "\"replays\":-1"},
            {"2026-01-02", "yesterday"},
            {"2026-01-02", "+999999999-01-02"},
            {"\"receipt\"", "\"invoice\""},
            {"recorded", "recorded\\u0000"}
        }) {
            assertThat(good).contains(change[0]);
            assertRefused(good.replace(change[0], change[1]).getBytes(UTF_8));
        }
    }

    private static Message message(Body body) {
        Status status = new Status(AckStatus.ACKED_POSTING, ProcessingStatus.PENDING);
        return new Message(REF, status, 2, TIME, TIME, body, List.of("2026-01-02T03:04:05Z acme/1 recorded"));
    }

    private static void assertRefused(byte[] bytes) {
        assertThatThrownBy(() -> MessageFormat.read(bytes)).isInstanceOf(MalformedMessageException.class);
    }
}
