package dev.tallystick.client;

import dev.tallystick.client.net.ForeignAnswer;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import java.io.Serial;
import java.util.Optional;
import java.util.function.Function;

/** The server refused, and would refuse again: nothing happened. Change the request, or give up. */
public final class RefusedException extends TallyException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final boolean holdsForEveryAttempt;
    private final transient Json.ObjectValue problem;

    RefusedException(ProblemCode code, String detail, boolean holdsForEveryAttempt, Json.ObjectValue problem) {
        super(code.word() + ": " + detail);
        this.status = code.status();
        this.code = code.word();
        this.holdsForEveryAttempt = holdsForEveryAttempt;
        this.problem = problem;
    }

    public int status() {
        return status;
    }

    /** The stable name of the cause, such as {@code idempotency_key_reused}. */
    public String code() {
        return code;
    }

    /** Whether this proves that earlier attempts at the same request, whose answers were lost, did nothing either. */
    public boolean holdsForEveryAttempt() {
        return holdsForEveryAttempt;
    }

    AttemptFailure failure() {
        return new AttemptFailure(AttemptFailure.Kind.REFUSED, status, String.valueOf(getMessage()));
    }

    boolean is(ProblemCode other) {
        return code.equals(other.word());
    }

    /** Reads further details of the refusal. If they are missing, something in between changed the answer. */
    <T> T read(Function<Fields, T> reading) {
        try {
            return reading.apply(new Fields(problem));
        } catch (ForeignAnswer e) {
            throw new OutcomeUnknownException(
                    "the server said " + getMessage() + ", but not all that belongs to it: " + e.getMessage(),
                    new AttemptFailure(AttemptFailure.Kind.FOREIGN_ANSWER, status, String.valueOf(e.getMessage())),
                    e);
        }
    }

    /** Further details of the refusal. */
    public Optional<Json> member(String name) {
        return Optional.ofNullable(problem.members().get(name));
    }
}
