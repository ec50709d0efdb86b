package dev.tallystick.log.entry;

import dev.tallystick.core.Json;
import dev.tallystick.log.tree.Hash;
import java.security.SecureRandom;
import java.util.Map;
import java.util.TreeMap;

/**
 * The 32 random bytes behind all commitments of one job. Deleting every copy erases the job from the log: its commitments can
 * never be opened again, and every proof stays valid.
 */
public final class JobSalt {

    public static final int BYTES = 32;

    private final byte[] salt;
    private final String job;
    private final Hash extracted;

    private JobSalt(String job, byte[] salt) {
        if (salt.length != BYTES) {
            throw new IllegalArgumentException("a salt has 32 bytes, not " + salt.length);
        }
        this.job = job;
        this.salt = salt;
        this.extracted = HmacSha256.extract("tally-opening-v1", salt);
    }

    public static JobSalt draw(String job, SecureRandom random) {
        byte[] salt = new byte[BYTES];
        random.nextBytes(salt);
        return new JobSalt(job, salt);
    }

    public static JobSalt of(String job, byte[] salt) {
        return new JobSalt(job, salt.clone());
    }

    /** To be stored. It opens all fields of the job. */
    public byte[] bytes() {
        return salt.clone();
    }

    /** What opens the commitment of one field and of no other. */
    public Hash opening(String field) {
        return HmacSha256.expand(extracted, HmacSha256.lengthPrefixed(job), HmacSha256.lengthPrefixed(field));
    }

    public Hash commit(String field, Json value) {
        return Commitment.of(opening(field), job, field, value);
    }

    /** One commitment for each field of a record. */
    public Map<String, Hash> commit(Map<String, Json> record) {
        Map<String, Hash> commitments = new TreeMap<>();
        record.forEach((field, value) -> commitments.put(field, commit(field, value)));
        return commitments;
    }
}
