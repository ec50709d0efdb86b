package dev.tallystick.engine;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * The identity of a transition: made from what the transition is, never at random and never from the attempt, so that whoever
 * brings it again brings the same.
 */
record Guid(UUID value) {

    /** What the question of a body for an id is called. */
    static final String DRAWN = "$uuid";

    private static final long VERSION_8 = 0x8000L;
    private static final long VARIANT_2 = 0x8000_0000_0000_0000L;

    /** Never used itself, only copied. */
    private static final MessageDigest SHA_256 = provided();

    /**
     * The identity of what an activity is told.
     *
     * @param ordinal which cycle or which wait; 0 for an activity that is told one thing only
     */
    static Guid of(ActivityId activity, long ordinal) {
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
     * What a body draws at a place.
     *
     * @param keysOf whose keys the job has
     */
    static UUID drawn(JobId keysOf, String path, String name) {
        return of(new ActivityId(keysOf, path, name), 0).value();
    }

    /** What these parts are, one after the other, in 128 bits. */
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

    /** To look for a provider takes longer than the digest. */
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
