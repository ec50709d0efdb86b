package dev.tallystick.daemon.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Priority;
import dev.tallystick.core.ProblemCode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns a local request into a row, or refuses it. Everything is checked that needs no server: a destination is valid if it is
 * well-formed, because the daemon must accept while the server cannot be asked. Thread-safe.
 */
public final class RequestReader {

    private static final Set<String> SEND =
            Set.of("to", "message", "priority", "meta", "reply_to", "mentions", "client_message_id");
    private static final Set<String> JOB =
            Set.of("workflow", "input", "version", "priority", "not_before", "attributes", "client_message_id");

    /** What a request adds around a payload. */
    private static final int FRAME_BYTES = 256;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
    private static final Pattern TRACE_PARENT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private final Supplier<SendLimits> limits;
    private final Supplier<IdempotencyKey> mint;

    /** @param mint makes keys for requests without one */
    public RequestReader(Supplier<SendLimits> limits, Supplier<IdempotencyKey> mint) {
        this.limits = limits;
        this.mint = mint;
    }

    /**
     * Reads the body of {@code POST /v1/send}.
     *
     * @param keyHeader the header {@code Idempotency-Key}; null for none
     * @param traceParent the W3C trace context of the caller; null for none
     */
    public NewRow send(Json body, @Nullable String keyHeader, @Nullable String traceParent) {
        Map<String, Json> members = members(body, SEND);
        IdempotencyKey key = key(members, keyHeader);
        Destination to = understood("to", Destination::parse, text(members, "to"));
        Envelope envelope = understood(
                "the message",
                unused -> new Envelope(
                        to,
                        replyTo(members),
                        priority(members),
                        object(members, "meta"),
                        mentions(members),
                        body(to, required(members, "message"))),
                "");
        return row(key, envelope, null, traceParent);
    }

    /** Reads the body of {@code POST /v1/jobs}. */
    public NewRow job(Json body, @Nullable String keyHeader, @Nullable String traceParent) {
        Map<String, Json> members = members(body, JOB);
        IdempotencyKey key = key(members, keyHeader);
        if (!IdempotencyKey.fitsHeader(key.value())) {
            throw new RequestRefused(
                    ProblemCode.IDEMPOTENCY_KEY_REFUSED, "the key of a job is sent in a header, and must be ASCII");
        }
        Json input = members.getOrDefault("input", Json.ofNull());
        Envelope envelope = understood(
                "the job",
                workflow -> Envelope.ofJob(workflow, input).withPriority(priority(members)),
                text(members, "workflow"));
        return row(key, envelope, options(members), traceParent);
    }

    /** The row that sends another message, or job input, instead of a row's own. */
    public NewRow patched(OutboxRow old, IdempotencyKey key, Json message) {
        OutboxRow.Content content = old.content();
        if (content == null || old.isDamaged()) {
            throw new RequestRefused(
                    ProblemCode.REQUEUE_REFUSED,
                    "the content of the row cannot be read; send it again under a new key");
        }
        Map<String, Json> members = new TreeMap<>(Payload.members(content.payload()));
        members.put("message", message);
        NewRow row = send(new Json.ObjectValue(members), key.header(), content.traceParent());
        return new NewRow(
                key,
                row.fingerprint(),
                row.to(),
                new OutboxRow.Content(row.content().payload(), content.options(), content.traceParent()));
    }

    private NewRow row(IdempotencyKey key, Envelope envelope, @Nullable String options, @Nullable String traceParent) {
        requireName(envelope.to());
        String payload = Payload.of(envelope);
        SendLimits most = limits.get();
        int body = envelope.body().bytes().length;
        long request = (long) payload.getBytes(UTF_8).length
                + Json.of(key.value()).canonicalBytes().length
                + (options == null ? 0 : options.getBytes(UTF_8).length)
                + FRAME_BYTES;
        if (body > most.bodyBytes() || request > most.requestBytes()) {
            throw new RequestRefused(
                    ProblemCode.PAYLOAD_TOO_LARGE,
                    "the server takes messages of %d bytes in requests of %d bytes; this one has %d and %d"
                            .formatted(most.bodyBytes(), most.requestBytes(), body, request));
        }
        boolean isTrace =
                traceParent != null && TRACE_PARENT.matcher(traceParent).matches();
        return new NewRow(
                key,
                Fingerprint.of(envelope),
                envelope.to(),
                new OutboxRow.Content(payload, options, isTrace ? traceParent : null));
    }

    private static void requireName(Destination to) {
        if (to.kind() != Destination.Kind.WORKFLOW
                && !NAME.matcher(to.reference()).matches()) {
            throw new RequestRefused(
                    ProblemCode.MALFORMED_REQUEST,
                    "the name of a " + to.kind().word()
                            + " must have 1 to 128 letters, digits, '.', '_' and '-', and begin with a letter or digit");
        }
    }

    private IdempotencyKey key(Map<String, Json> members, @Nullable String header) {
        String field = textIfThere(members, "client_message_id");
        IdempotencyKey fromField = field == null ? null : key(IdempotencyKey::new, field);
        IdempotencyKey fromHeader = header == null ? null : key(IdempotencyKey::ofHeader, header);
        if (fromField != null && fromHeader != null && !fromField.equals(fromHeader)) {
            throw new RequestRefused(
                    ProblemCode.IDEMPOTENCY_KEY_REFUSED,
                    "Idempotency-Key and client_message_id differ; send one of them");
        }
        IdempotencyKey key = fromHeader == null ? fromField : fromHeader;
        return key == null ? mint.get() : key;
    }

    private static IdempotencyKey key(Function<String, IdempotencyKey> reading, String text) {
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException e) {
            throw new RequestRefused(ProblemCode.IDEMPOTENCY_KEY_REFUSED, String.valueOf(e.getMessage()));
        }
    }

    private static Map<String, Json> members(Json body, Set<String> known) {
        if (!(body instanceof Json.ObjectValue object)) {
            throw malformed("the body must be a JSON object");
        }
        object.members().keySet().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw malformed("there is no member '" + name + "'; known are "
                            + String.join(", ", known.stream().sorted().toList()));
                });
        return object.members();
    }

    private static @Nullable String replyTo(Map<String, Json> members) {
        String text = textIfThere(members, "reply_to");
        if (text == null) {
            return null;
        }
        String id = UUID.fromString(text).toString();
        if (!id.equalsIgnoreCase(text)) {
            throw malformed("'reply_to' must be the id of a message");
        }
        return id;
    }

    private static Priority priority(Map<String, Json> members) {
        String word = textIfThere(members, "priority");
        return word == null ? Priority.DEFAULT : understood("priority", Priority::parse, word);
    }

    private static List<String> mentions(Map<String, Json> members) {
        return switch (members.get("mentions")) {
            case null -> List.of();
            case Json.NullValue none -> List.of();
            case Json.ArrayValue list -> {
                if (list.elements().size() > SendLimits.MENTIONS) {
                    throw mentionsRefused();
                }
                yield list.elements().stream().map(RequestReader::mention).toList();
            }
            default -> throw malformed("'mentions' must be a list of members");
        };
    }

    private static String mention(Json mention) {
        if (mention instanceof Json.StringValue name
                && NAME.matcher(name.value()).matches()) {
            return name.value();
        }
        throw mentionsRefused();
    }

    private static RequestRefused mentionsRefused() {
        return new RequestRefused(
                ProblemCode.MENTIONS_REFUSED, "mention at most " + SendLimits.MENTIONS + " members by their names");
    }

    private static Envelope.Body body(Destination to, Json message) {
        return message instanceof Json.StringValue text && to.kind() != Destination.Kind.WORKFLOW
                ? new Envelope.Body.Text(text.value())
                : new Envelope.Body.Document(message);
    }

    /** Null if there are none. */
    private static @Nullable String options(Map<String, Json> members) {
        Map<String, Json> options = new TreeMap<>();
        Json version = members.get("version");
        if (version != null && !(version instanceof Json.NullValue)) {
            if (!(version instanceof Json.NumberValue number)
                    || number.value() < 1
                    || number.value() > Integer.MAX_VALUE
                    || number.value() != Math.rint(number.value())) {
                throw malformed("'version' must be a whole number from 1");
            }
            options.put("version", version);
        }
        String notBefore = textIfThere(members, "not_before");
        if (notBefore != null) {
            options.put(
                    "not_before",
                    Json.of(understood("not_before", Instant::parse, notBefore).toString()));
        }
        Json.ObjectValue attributes = object(members, "attributes");
        if (!attributes.members().isEmpty()) {
            attributes.members().forEach((name, value) -> {
                if (!(value instanceof Json.StringValue)) {
                    throw malformed("the attribute '" + name + "' must be a text");
                }
            });
            options.put("attributes", attributes);
        }
        return options.isEmpty() ? null : new Json.ObjectValue(options).canonical();
    }

    private static Json.ObjectValue object(Map<String, Json> members, String name) {
        return switch (members.get(name)) {
            case null -> new Json.ObjectValue(Map.of());
            case Json.NullValue none -> new Json.ObjectValue(Map.of());
            case Json.ObjectValue object -> object;
            default -> throw malformed("'" + name + "' must be a JSON object");
        };
    }

    private static Json required(Map<String, Json> members, String name) {
        Json value = members.get(name);
        if (value == null) {
            throw malformed("'" + name + "' is missing");
        }
        return value;
    }

    private static String text(Map<String, Json> members, String name) {
        String text = textIfThere(members, name);
        if (text == null) {
            throw malformed("'" + name + "' is missing");
        }
        return text;
    }

    private static @Nullable String textIfThere(Map<String, Json> members, String name) {
        return switch (members.get(name)) {
            case null -> null;
            case Json.NullValue none -> null;
            case Json.StringValue text -> text.value();
            default -> throw malformed("'" + name + "' must be a text");
        };
    }

    private static <T> T understood(String what, Function<String, T> reading, String text) {
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException | DateTimeException e) {
            throw malformed(what + ": " + e.getMessage());
        }
    }

    private static RequestRefused malformed(String detail) {
        return new RequestRefused(ProblemCode.MALFORMED_REQUEST, detail);
    }
}
