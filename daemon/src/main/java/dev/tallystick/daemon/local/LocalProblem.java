package dev.tallystick.daemon.local;

import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A refused local request, written as {@code application/problem+json}. */
final class LocalProblem extends RuntimeException {

    private static final String TYPE = "urn:tallystick:problem:";

    private final ProblemCode code;
    private final Map<String, Json> more = new TreeMap<>();
    private final boolean isFinal;

    /** @param detail what was wrong with this request, and what to do about it */
    LocalProblem(ProblemCode code, String detail) {
        this(code, detail, false);
    }

    private LocalProblem(ProblemCode code, String detail, boolean isFinal) {
        super(detail, null, false, false);
        this.code = code;
        this.isFinal = isFinal;
    }

    /** A problem after which the connection cannot be used: where the next request begins is unknown. */
    static LocalProblem ending(ProblemCode code, String detail) {
        return new LocalProblem(code, detail, true);
    }

    LocalProblem with(String name, @Nullable String value) {
        if (value != null) {
            more.put(name, Json.of(value));
        }
        return this;
    }

    boolean endsConnection() {
        return isFinal;
    }

    LocalAnswer answer() {
        Map<String, Json> members = new TreeMap<>(more);
        members.put("type", Json.of(TYPE + code.word()));
        members.put("title", Json.of(code.title()));
        members.put("status", Json.of(code.status()));
        members.put("code", Json.of(code.word()));
        members.put("detail", Json.of(wellFormed(String.valueOf(getMessage()))));
        LocalAnswer answer =
                new LocalAnswer(code.status(), "application/problem+json", new Json.ObjectValue(members).canonical());
        boolean isWorthWaiting = code.lasting() == ProblemCode.Lasting.TRANSIENT;
        return isWorthWaiting ? answer.retryAfterSeconds(1) : answer;
    }

    /** A detail may repeat what the caller sent. */
    private static String wellFormed(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
