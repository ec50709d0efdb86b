package dev.tallystick.client;

import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import java.io.Serial;
import java.util.Optional;

/** The server refused, and would again: nothing happened, and the same request will not fare better. Change it, or give up. */
public final class RefusedException extends TallyException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final transient Json.ObjectValue problem;

    RefusedException(int status, String code, String detail, Json.ObjectValue problem) {
        super(code + ": " + detail);
        this.status = status;
        this.code = code;
        this.problem = problem;
    }

    public int status() {
        return status;
    }

    /** The stable name of the cause, as in {@code idempotency_key_reused}. */
    public String code() {
        return code;
    }

    boolean is(ProblemCode other) {
        return code.equals(other.word());
    }

    Fields fields() {
        return new Fields(problem);
    }

    /** What else the server says of it. */
    public Optional<Json> member(String name) {
        return Optional.ofNullable(problem.members().get(name));
    }
}
