package dev.tallystick.daemon.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Destination;
import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.Json;
import dev.tallystick.core.Names;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.JobApi.SubmitJob;
import dev.tallystick.core.api.MessageApi.SendMessage;
import dev.tallystick.core.api.RecordBinding;
import dev.tallystick.core.api.RecordRefused;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns a local request into a row, or refuses it. Everything is checked that needs no server: a destination is valid if it is
 * well-formed, because the daemon must accept while the server cannot be asked. Thread-safe.
 */
public final class RequestReader {

    private static final String KEY = "client_message_id";

    /** What a request adds around a payload. */
    private static final int FRAME_BYTES = 256;

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
        return send(read(SendMessage.class, body), keyHeader, traceParent);
    }

    /** As {@link #send(Json, String, String)}. */
    public NewRow send(SendMessage sent, @Nullable String keyHeader, @Nullable String traceParent) {
        IdempotencyKey key = key(sent.clientMessageId(), keyHeader);
        requireMentions(Objects.requireNonNullElse(sent.mentions(), List.of()));
        return row(key, understood(sent::envelope), null, traceParent);
    }

    /** Reads the body of {@code POST /v1/jobs}: that of the server, and perhaps a key. */
    public NewRow job(Json body, @Nullable String keyHeader, @Nullable String traceParent) {
        if (!(body instanceof Json.ObjectValue object)) {
            throw malformed("the body must be a JSON object");
        }
        Map<String, Json> members = new TreeMap<>(object.members());
        String key = switch (members.remove(KEY)) {
            case null -> null;
            case Json.NullValue none -> null;
            case Json.StringValue text -> text.value();
            default -> throw malformed("'" + KEY + "' must be a text");
        };
        return job(read(SubmitJob.class, new Json.ObjectValue(members)), key(key, keyHeader), traceParent);
    }

    /**
     * As {@link #job(Json, String, String)}.
     *
     * @param given null to make a key
     */
    public NewRow job(SubmitJob job, @Nullable IdempotencyKey given, @Nullable String traceParent) {
        IdempotencyKey key = given == null ? mint.get() : given;
        if (!IdempotencyKey.fitsHeader(key.value())) {
            throw new RequestRefused(
                    ProblemCode.IDEMPOTENCY_KEY_REFUSED, "the key of a job is sent in a header, and must be ASCII");
        }
        return row(
                key,
                understood(job::envelope),
                understood(() -> JobOptions.of(job)).text(),
                traceParent);
    }

    /** The row that sends another message, or job input, instead of a row's own. */
    public NewRow patched(OutboxRow old, IdempotencyKey key, Json message) {
        OutboxRow.Content content = old.content();
        if (content == null || old.isDamaged()) {
            throw new RequestRefused(
                    ProblemCode.REQUEUE_REFUSED,
                    "the content of the row cannot be read; send it again under a new key");
        }
        SendMessage kept = Payload.message(content.payload());
        SendMessage changed = new SendMessage(
                kept.to(), message, kept.priority(), kept.meta(), kept.replyTo(), kept.mentions(), null);
        NewRow row = send(changed, key.header(), content.traceParent());
        return new NewRow(
                key,
                row.fingerprint(),
                row.to(),
                new OutboxRow.Content(row.content().payload(), content.options(), content.traceParent()));
    }

    private NewRow row(IdempotencyKey key, Envelope envelope, @Nullable String options, @Nullable String traceParent) {
        if (envelope.to().kind() != Destination.Kind.WORKFLOW) {
            String unused = understood(() ->
                    Names.require(envelope.to().kind().word(), envelope.to().reference()));
        }
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

    private IdempotencyKey key(@Nullable String field, @Nullable String header) {
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

    private static void requireMentions(List<String> mentions) {
        if (mentions.size() > SendLimits.MENTIONS || !mentions.stream().allMatch(Names::isName)) {
            throw new RequestRefused(
                    ProblemCode.MENTIONS_REFUSED, "mention at most " + SendLimits.MENTIONS + " members by their names");
        }
    }

    private static <T> T read(Class<T> type, Json body) {
        try {
            return type.cast(RecordBinding.of(type).read(body));
        } catch (RecordRefused e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private static <T> T understood(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private static RequestRefused malformed(String detail) {
        return new RequestRefused(ProblemCode.MALFORMED_REQUEST, detail);
    }
}
