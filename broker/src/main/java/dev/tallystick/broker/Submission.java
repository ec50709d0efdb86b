package dev.tallystick.broker;

import dev.tallystick.core.Envelope;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * What a member asks to be accepted.
 *
 * @param fingerprint of the envelope, computed once
 * @param options for a job; {@link JobOptions#NONE} for anything else
 * @param traceParent the W3C trace context that it came with, or null; kept with the message, not part of the fingerprint
 */
public record Submission(
        IdempotencyKey key,
        Envelope envelope,
        Fingerprint fingerprint,
        JobOptions options,
        @Nullable String traceParent) {

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
