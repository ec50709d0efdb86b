package dev.tallystick.engine.model;

import dev.tallystick.sql.DefiniteFailureException;
import dev.tallystick.sql.TransactionException;
import dev.tallystick.workflow.UnknownWorkflowException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Describes failures: what and why, in one line of bounded length. */
public final class Failures {

    static final int MAX_LENGTH = 2_000;

    public static String describe(Throwable failure) {
        @Nullable String message = messageOf(failure);
        String what = failure.getClass().getName();
        String text = message == null || message.isBlank() ? what : what + ": " + message;
        return clean(text);
    }

    /** {@code getMessage()} is user code too, and may throw. */
    private static @Nullable String messageOf(Throwable failure) {
        try {
            return failure.getMessage();
        } catch (RuntimeException | Error e) {
            return "it has no message, because getMessage() threw "
                    + e.getClass().getName();
        }
    }

    /** Makes a text storable: Postgres does not allow NUL in a text. */
    public static String clean(String text) {
        return shorten(text.replace('\0', ' ').strip());
    }

    /** The failure of a future, without the {@code CompletionException} around it. */
    public static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Why something can never be recorded as it is; empty if a retry may help. */
    public static Optional<String> refusal(Throwable failure) {
        return switch (causeOf(failure)) {
            case DefiniteFailureException definite
            when definite.reason() == DefiniteFailureException.Reason.REFUSED ->
                Optional.of("it cannot be recorded: " + describe(definite));
            case TransactionException away -> Optional.empty();
            case UnknownWorkflowException elsewhere -> Optional.empty();
            case RuntimeException fault -> Optional.of("it cannot be recorded: " + describe(fault));
            default -> Optional.empty();
        };
    }

    public static String shorten(String clean) {
        return clean.length() <= MAX_LENGTH ? clean : clean.substring(0, MAX_LENGTH - 1) + "…";
    }

    /** It is unknown whether the effect happened. */
    public static String neverCameBack(int begun) {
        return "it was begun " + (begun == 1 ? "once" : begun + " times") + " and never came back";
    }

    private Failures() {}
}
