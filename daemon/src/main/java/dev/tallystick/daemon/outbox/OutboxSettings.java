package dev.tallystick.daemon.outbox;

import java.time.Duration;

/**
 * The limits of an outbox.
 *
 * @param maxBytes the size of the file from which the shares below are taken
 * @param payloadKept how long the payload of a done or aborted row is kept for people to look at
 */
public record OutboxSettings(long maxBytes, Duration payloadKept) {

    public static final OutboxSettings DEFAULT = new OutboxSettings(1L << 30, Duration.ofDays(7));

    /** From this share on, payloads that nothing needs are dropped early, and the daemon warns. */
    private static final double WARNING = 0.80;

    /** From this share on, sends are refused. */
    private static final double REFUSAL = 0.95;

    private static final long LEAST_BYTES = 1 << 16;

    public OutboxSettings {
        if (maxBytes < LEAST_BYTES) {
            throw new IllegalArgumentException("an outbox needs at least " + LEAST_BYTES + " bytes, got " + maxBytes);
        }
        if (payloadKept.isNegative()) {
            throw new IllegalArgumentException("payloads are kept for some time, or for none, not for " + payloadKept);
        }
    }

    public OutboxSettings withMaxBytes(long bytes) {
        return new OutboxSettings(bytes, payloadKept);
    }

    public OutboxSettings withPayloadKept(Duration time) {
        return new OutboxSettings(maxBytes, time);
    }

    boolean isWorrying(long bytes) {
        return bytes >= maxBytes * WARNING;
    }

    boolean isFull(long bytes) {
        return bytes >= maxBytes * REFUSAL;
    }
}
