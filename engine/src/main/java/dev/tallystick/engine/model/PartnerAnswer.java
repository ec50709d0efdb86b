package dev.tallystick.engine.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.core.Json.ObjectValue;
import dev.tallystick.core.Json.StringValue;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A participant's decision, as the signal that brings it to its job.
 *
 * @param payload JSON; empty if the participant rejected the request
 * @param reason why it rejected the request; null if it did the work
 */
public record PartnerAnswer(byte[] payload, @Nullable String reason) {

    private static final String SIGNAL = "$remote:";
    private static final String STEP = "$remote:";
    private static final byte[] OK = "{\"ok\":".getBytes(UTF_8);
    private static final String REJECTED = "rejected";

    public static PartnerAnswer ok(byte[] json) {
        return new PartnerAnswer(json, null);
    }

    public static PartnerAnswer rejected(String reason) {
        return new PartnerAnswer(new byte[0], reason);
    }

    /** The signal that brings the result of a request. */
    public static String signal(UUID request) {
        return SIGNAL + request;
    }

    /** The request whose result a signal brings; empty if it brings none. */
    public static Optional<String> requestOf(@Nullable String signal) {
        return Optional.ofNullable(signal)
                .filter(name -> name.startsWith(SIGNAL))
                .map(name -> name.substring(SIGNAL.length()));
    }

    /** The step that posts a request. */
    public static String step(String participant) {
        return STEP + participant;
    }

    /** As {@link #read} reads it. */
    public byte[] bytes() {
        if (reason != null) {
            return new ObjectValue(Map.of(REJECTED, Json.of(reason))).canonicalBytes();
        }
        byte[] bytes = Arrays.copyOf(OK, OK.length + payload.length + 1);
        System.arraycopy(payload, 0, bytes, OK.length, payload.length);
        bytes[bytes.length - 1] = '}';
        return bytes;
    }

    /** The payload stays as the participant wrote it: numbers keep their digits. */
    public static PartnerAnswer read(byte[] bytes) {
        if (Arrays.equals(bytes, 0, Math.min(OK.length, bytes.length), OK, 0, OK.length)) {
            return ok(Arrays.copyOfRange(bytes, OK.length, bytes.length - 1));
        }
        if (Json.parse(bytes) instanceof ObjectValue object
                && object.members().get(REJECTED) instanceof StringValue reason) {
            return rejected(reason.value());
        }
        throw new IllegalStateException("the record of a participant's answer is not one");
    }
}
