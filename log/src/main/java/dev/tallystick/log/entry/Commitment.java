package dev.tallystick.log.entry;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.core.Json;
import dev.tallystick.log.tree.Hash;

/**
 * Commits to one field of a record. Without its opening a commitment tells nothing about the value, however easy the value is
 * to guess; with it, only the one value fits.
 */
public final class Commitment {

    private static final byte[] DOMAIN = "tally-commit-v1".getBytes(US_ASCII);

    private Commitment() {}

    /**
     * Commits to a value.
     *
     * @param opening 32 bytes that no one else knows
     * @param job the id of the job, or of what else the record is about
     * @param field the name of the field, so that a value cannot be shown as that of another field
     */
    public static Hash of(Hash opening, String job, String field, Json value) {
        return HmacSha256.mac(
                opening.bytes(),
                DOMAIN,
                HmacSha256.lengthPrefixed(job),
                HmacSha256.lengthPrefixed(field),
                Hash.sha256(value.canonicalBytes()).bytes());
    }
}
