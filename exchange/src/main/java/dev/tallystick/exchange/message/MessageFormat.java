package dev.tallystick.exchange.message;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ArrayValue;
import dev.tallystick.core.Json.NumberValue;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import dev.tallystick.core.JsonLimits;
import dev.tallystick.exchange.message.Message.Body;
import dev.tallystick.exchange.signing.BatchSignature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Messages as bytes: canonical JSON, so that equal messages have equal bytes. {@code docs/formats/exchange.md} has the fields. */
public final class MessageFormat {

    /** A payload in base64, and room for the rest. */
    public static final int MAX_BYTES = Payload.MAX_BYTES / 3 * 4 + 128 * 1024;

    private static final JsonLimits LIMITS = new JsonLimits(MAX_BYTES, 4);
    private static final int MAX_AUDIT_ENTRY = 1_000;

    /** Databases differ in the years that they know after this. */
    private static final Instant END_OF_TIME = Instant.parse("9999-12-31T00:00:00Z");

    private enum Type {
        POSTING,
        RECEIPT,
        RESULT,
        ACKNOWLEDGEMENT,
        REFUSAL
    }

    public static byte[] write(Message message) {
        Map<String, Json> members = new HashMap<>();
        PostingRef ref = message.ref();
        members.put("n", Json.of(ref.producer().name()));
        members.put("p", Json.of(ref.consumer().name()));
        members.put("id", Json.of(ref.id().value()));
        members.put("fingerprint", Json.of(ref.fingerprint().hex()));
        if (!ref.checkpoint().isEmpty()) {
            members.put("checkpoint", Json.of(ref.checkpoint()));
        }
        members.put("ack_status", Json.of(message.status().ack().name()));
        members.put("processing_status", Json.of(message.status().processing().name()));
        members.put("replays", Json.of(message.replays()));
        members.put("inception_datum", Json.of(message.inception().toString()));
        if (message.last() != null) {
            members.put("last_datum", Json.of(message.last().toString()));
        }
        members.put(
                "audit",
                new ArrayValue(message.audit().stream().<Json>map(Json::of).toList()));
        switch (message.body()) {
            case Body.Posting posting -> {
                type(members, Type.POSTING, posting.signature());
                members.put("payload", base64(posting.payload()));
                members.put("deadline", Json.of(posting.deadline().toString()));
                if (posting.place() != null) {
                    members.put("order_key", Json.of(posting.place().key()));
                    members.put("order_number", Json.of(posting.place().number()));
                }
            }
            case Body.Receipt receipt -> type(members, Type.RECEIPT, receipt.signature());
            case Body.Result result -> {
                type(members, Type.RESULT, result.signature());
                members.put("outcome", Json.of(result.processing().name()));
                members.put("payload", base64(result.payload()));
                members.put("reason", Json.of(result.reason()));
                members.put("receipt", Json.of(result.receipt().text()));
            }
            case Body.Acknowledgement acknowledgement -> {
                type(members, Type.ACKNOWLEDGEMENT, acknowledgement.signature());
                members.put("outcome", Json.of(acknowledgement.processing().name()));
                members.put("outcome_digest", base64(acknowledgement.outcomeDigest()));
            }
            case Body.Refusal refusal -> {
                type(members, Type.REFUSAL, refusal.signature());
                members.put("issue", Json.of(refusal.issue()));
                members.put("by", Json.of(refusal.byProducer() ? "n" : "p"));
            }
        }
        return new ObjectValue(members).canonicalBytes();
    }

    private static void type(Map<String, Json> members, Type type, BatchSignature signature) {
        members.put("type", Json.of(type.name().toLowerCase(Locale.ROOT)));
        members.put("signature", Json.of(signature.text()));
    }

    private static Json base64(Payload payload) {
        return Json.of(Base64.getEncoder().encodeToString(payload.bytes()));
    }

    public static Message read(byte[] bytes) throws MalformedMessageException {
        try {
            if (!(Json.parse(bytes, LIMITS) instanceof ObjectValue object)) {
                throw new IllegalArgumentException("a message is a JSON object");
            }
            Reader reader = new Reader(object);
            Message message = read(reader);
            reader.end();
            return message;
        } catch (RuntimeException e) {
            // Every check of a value refuses with one of these, also those of the JDK's parsers.
            throw new MalformedMessageException("malformed message: " + e.getMessage(), e);
        }
    }

    private static Message read(Reader reader) {
        PostingRef ref = new PostingRef(
                new Participant(reader.text("n")),
                new Participant(reader.text("p")),
                new MessageId(reader.text("id")),
                new Fingerprint(reader.text("fingerprint")),
                reader.textOr("checkpoint", ""));
        Status status = new Status(
                AckStatus.valueOf(reader.text("ack_status")),
                ProcessingStatus.valueOf(reader.text("processing_status")));
        return new Message(
                ref,
                status,
                Math.toIntExact(reader.number("replays")),
                reader.instant("inception_datum"),
                reader.has("last_datum") ? reader.instant("last_datum") : null,
                body(reader),
                reader.audit());
    }

    private static Body body(Reader reader) {
        Type type = Type.valueOf(reader.text("type").toUpperCase(Locale.ROOT));
        BatchSignature signature = BatchSignature.parse(reader.text("signature"));
        return switch (type) {
            case POSTING ->
                new Body.Posting(
                        reader.payload("payload"),
                        reader.instant("deadline"),
                        reader.has("order_key")
                                ? new OrderPlace(reader.text("order_key"), reader.number("order_number"))
                                : null,
                        signature);
            case RECEIPT -> new Body.Receipt(signature);
            case RESULT ->
                new Body.Result(
                        ProcessingStatus.valueOf(reader.text("outcome")),
                        reader.payload("payload"),
                        reader.text("reason"),
                        BatchSignature.parse(reader.text("receipt")),
                        signature);
            case ACKNOWLEDGEMENT ->
                new Body.Acknowledgement(
                        ProcessingStatus.valueOf(reader.text("outcome")), reader.payload("outcome_digest"), signature);
            case REFUSAL ->
                new Body.Refusal(reader.text("issue"), reader.text("by").equals("n"), signature);
        };
    }

    /** Takes the members of an object; those that nothing has taken are unknown. */
    private static final class Reader {

        private final Map<String, Json> left;

        Reader(ObjectValue object) {
            left = new HashMap<>(object.members());
        }

        boolean has(String name) {
            return left.containsKey(name);
        }

        String text(String name) {
            if (take(name) instanceof StringValue text) {
                return storable(text.value());
            }
            throw new IllegalArgumentException("'" + name + "' must be a string");
        }

        String textOr(String name, String otherwise) {
            return has(name) ? text(name) : otherwise;
        }

        long number(String name) {
            if (take(name) instanceof NumberValue number && number.value() == Math.rint(number.value())) {
                long value = (long) number.value();
                if (value >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("'" + name + "' must be a non-negative integer");
        }

        Instant instant(String name) {
            Instant instant = Instant.parse(text(name));
            if (instant.isBefore(Instant.EPOCH) || !instant.isBefore(END_OF_TIME)) {
                throw new IllegalArgumentException("'" + name + "' must be between 1970 and 9999");
            }
            return instant;
        }

        Payload payload(String name) {
            return Payload.of(Base64.getDecoder().decode(text(name)));
        }

        List<String> audit() {
            if (!(take("audit") instanceof ArrayValue array) || array.elements().size() > Message.MAX_AUDIT) {
                throw new IllegalArgumentException(
                        "'audit' must be an array with at most " + Message.MAX_AUDIT + " entries");
            }
            List<String> entries = new ArrayList<>();
            for (Json element : array.elements()) {
                if (!(element instanceof StringValue text) || text.value().length() > MAX_AUDIT_ENTRY) {
                    throw new IllegalArgumentException("an audit entry is a string of at most " + MAX_AUDIT_ENTRY);
                }
                entries.add(storable(text.value()));
            }
            return entries;
        }

        private static String storable(String text) {
            if (text.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("a text contains a NUL character");
            }
            return text;
        }

        private Json take(String name) {
            Json value = left.remove(name);
            if (value == null) {
                throw new IllegalArgumentException("'" + name + "' is missing");
            }
            return value;
        }

        void end() {
            if (!left.isEmpty()) {
                throw new IllegalArgumentException("unknown members: " + left.keySet());
            }
        }
    }

    private MessageFormat() {}
}
