package dev.tallystick.engine.model;

import dev.tallystick.workflow.JobId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * The identity of a transition: derived from its content, never random and never from the attempt, so that every repeat has the
 * same GUID.
 */
public record Guid(UUID value) {

    /** The activity name of a body's call for a UUID. */
    public static final String DRAWN = "$uuid";

    private static final long VERSION_8 = 0x8000L;
    private static final long VARIANT_2 = 0x8000_0000_0000_0000L;

    /** Only cloned, never used directly. */
    private static final MessageDigest SHA_256 = provided();

    /**
     * The identity of an event of an activity.
     *
     * @param ordinal the number of the cycle or wait; 0 for an activity with a single event
     */
    public static Guid of(ActivityId activity, long ordinal) {
        MessageDigest digest = sha256();
        UUID job = activity.job().value();
        digest.update(ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(job.getMostSignificantBits())
                .putLong(job.getLeastSignificantBits())
                .putLong(ordinal)
                .flip());
        digest.update(activity.path().getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        digest.update(activity.name().getBytes(StandardCharsets.UTF_8));
        return new Guid(first128Bits(digest));
    }

    /**
     * The UUID that a body gets at a place.
     *
     * @param keysOf the job whose keys this job uses
     */
    public static UUID drawn(JobId keysOf, String path, String name) {
        return of(new ActivityId(keysOf, path, name), 0).value();
    }

    /** A 128-bit hash of the concatenated parts. */
    static UUID hash(byte[]... parts) {
        MessageDigest digest = sha256();
        for (byte[] part : parts) {
            digest.update(part);
        }
        return first128Bits(digest);
    }

    private static UUID first128Bits(MessageDigest digest) {
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        long high = (hash.getLong() & ~0xF000L) | VERSION_8;
        long low = (hash.getLong() & ~0xC000_0000_0000_0000L) | VARIANT_2;
        return new UUID(high, low);
    }

    /** Clones the digest, because looking up a provider takes longer than hashing. */
    private static MessageDigest sha256() {
        try {
            return (MessageDigest) SHA_256.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's SHA-256 can be copied", e);
        }
    }

    private static MessageDigest provided() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
