package dev.tallystick.engine.model;

import dev.tallystick.core.StackTraces;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.StepFailedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why an attempt or a job failed.
 *
 * @param error in one line
 * @param stackTrace as text encoded by the codec; null if there is none, or the record already has it
 * @param thrown the exception to log; null if nothing was thrown in this process
 */
public record Fault(
        String error,
        byte @Nullable [] stackTrace,
        @Nullable Throwable thrown) {

    private static final Logger LOG = LoggerFactory.getLogger(Fault.class);

    /** A failure without an exception. */
    public static Fault of(String error) {
        return new Fault(error, null, null);
    }

    /** A failed step has its own stack trace on record, so a body that fails with its exception stores no other. */
    public static Fault of(Throwable thrown, Codec codec) {
        String error = Failures.describe(thrown);
        if (thrown instanceof StepFailedException step) {
            return new Fault(error, null, step.origin() == null ? step : step.origin());
        }
        try {
            return new Fault(error, encoded(StackTraces.of(thrown), codec), thrown);
        } catch (RuntimeException | Error unreadable) {
            // A user's exception that cannot describe itself cannot be logged either.
            return of(error);
        }
    }

    /** Its approximate payload size. */
    public int bytes() {
        return stackTrace == null ? 0 : stackTrace.length;
    }

    /** A failure reported by a remote worker. */
    public static Fault reported(String error, @Nullable String stackTrace, Codec codec) {
        String trace = stackTrace == null ? "" : StackTraces.fitting(stackTrace);
        return new Fault(Failures.clean(error), trace.isEmpty() ? null : encoded(trace, codec), null);
    }

    /** A codec that supports only the types of its workflows must not turn one failure into another. */
    private static byte @Nullable [] encoded(String stackTrace, Codec codec) {
        try {
            return codec.encode(stackTrace);
        } catch (RuntimeException | Error e) {
            LOG.warn("a stack trace is not kept, because the codec cannot encode a string", e);
            return null;
        }
    }
}
