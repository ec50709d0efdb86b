package dev.tallystick.broker.accept;

import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A message or job that a member submits.
 *
 * @param fingerprint of the envelope, computed once
 * @param options for a job; {@link JobOptions#NONE} for anything else
 * @param traceParent the W3C trace context of the request, or null; kept with the message, not part of the fingerprint. A
 *     malformed one is dropped, as the recommendation requires, because it is sent on in headers
 */
public record Submission(
        IdempotencyKey key,
        Envelope envelope,
        Fingerprint fingerprint,
        JobOptions options,
        @Nullable String traceParent) {

    private static final Pattern TRACE_PARENT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    public Submission {
        if (traceParent != null && !TRACE_PARENT.matcher(traceParent).matches()) {
            traceParent = null;
        }
    }

    public static Submission of(IdempotencyKey key, Envelope envelope) {
        return new Submission(key, envelope, Fingerprint.of(envelope), JobOptions.NONE, null);
    }

    public Submission withOptions(JobOptions other) {
        return new Submission(key, envelope, fingerprint, other, traceParent);
    }

    public Submission withTraceParent(@Nullable String other) {
        return new Submission(key, envelope, fingerprint, options, other);
    }
}
