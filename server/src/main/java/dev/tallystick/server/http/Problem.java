package dev.tallystick.server.http;

import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** A refused request. Written as {@code application/problem+json} (RFC 9457), with the code by which clients decide. */
public final class Problem extends RuntimeException {

    static final String MEDIA_TYPE = "application/problem+json";

    private final ProblemCode code;
    private final SequencedMap<String, Json> more = new LinkedHashMap<>();
    private final SequencedMap<String, String> headers = new LinkedHashMap<>();

    /** @param detail what was wrong with this request, and what to do about it */
    public Problem(ProblemCode code, String detail) {
        super(detail, null, false, false);
        this.code = code;
    }

    /** A further member of the document. */
    public Problem with(String name, Json value) {
        more.put(name, value);
        return this;
    }

    Problem withHeader(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** In whole seconds, rounded up, as the header requires. */
    public Problem retryAfter(Duration wait) {
        return withHeader(
                "Retry-After", Long.toString(Math.max(1, wait.plusMillis(999).toSeconds())));
    }

    public ProblemCode code() {
        return code;
    }

    Map<String, String> headers() {
        return headers;
    }

    String document() {
        StringBuilder out = new StringBuilder(256);
        out.append("{\"type\":\"urn:tallystick:problem:").append(code.word()).append("\",\"title\":");
        out.append(Json.of(code.title()).canonical());
        out.append(",\"status\":").append(code.status());
        out.append(",\"code\":\"").append(code.word()).append("\",\"detail\":");
        out.append(Json.of(wellFormed(String.valueOf(getMessage()))).canonical());
        more.forEach((name, value) ->
                out.append(',').append(Json.of(name).canonical()).append(':').append(value.canonical()));
        return out.append('}').toString();
    }

    /** A detail may repeat client input, including unpaired surrogates. */
    private static String wellFormed(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
