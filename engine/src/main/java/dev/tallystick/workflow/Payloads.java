package dev.tallystick.workflow;

import java.nio.ByteBuffer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Limits the size of recorded payloads, because the record is read each time its job resumes. */
public final class Payloads {

    public static final int MAX_BYTES = 1 << 20;

    /**
     * Encodes a value for the record.
     *
     * @throws PayloadTooLargeException if it has more than {@link #MAX_BYTES}
     */
    public static byte[] encode(Codec codec, @Nullable Object value) {
        byte @Nullable [] encoded = codec.encode(value);
        if (encoded == null) {
            throw new IllegalStateException(codec.getClass().getName()
                    + " returned null: a codec returns the bytes to be recorded, also for null");
        }
        if (encoded.length > MAX_BYTES) {
            throw new PayloadTooLargeException(encoded.length);
        }
        return encoded;
    }

    /** Decodes the value recorded under this name. */
    public static <T extends @Nullable Object> T decode(Codec codec, String name, byte[] output, GenericType<T> type) {
        try {
            return codec.decode(output, type.type());
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "what '" + name + "' brought is recorded but cannot be read as " + type
                            + ": ask for a type that the codec can read",
                    e);
        }
    }

    /** An instant with nanosecond precision. */
    public static byte[] encode(Instant moment) {
        long nanos = Math.addExact(Math.multiplyExact(moment.getEpochSecond(), 1_000_000_000L), moment.getNano());
        return ByteBuffer.allocate(Long.BYTES).putLong(nanos).array();
    }

    public static Instant instant(byte[] encoded) {
        return Instant.ofEpochSecond(0, ByteBuffer.wrap(encoded).getLong());
    }

    private Payloads() {}
}
