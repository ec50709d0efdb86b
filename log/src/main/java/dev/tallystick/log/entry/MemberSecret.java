package dev.tallystick.log.entry;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tallystick.log.tree.Hash;

/**
 * The secret that turns one member's keys into tags. Members are identified by ids, never by names. Showing it to an auditor
 * opens the tags of this member and generation, past and future, and those of no other.
 *
 * @param generation counted from 1; a new one begins when a secret was shown too widely
 */
public record MemberSecret(String mesh, String member, int generation, Hash secret) {

    /** The door at which jobs and messages are accepted: the only one whose keys are in the map. */
    public static final String ACCEPT_DOOR = "accept";

    private static final byte[] TAG = "tally-tag-v1".getBytes(US_ASCII);
    private static final byte[] COMMITTED = "tally-secret-v1".getBytes(US_ASCII);
    private static final byte[] PROMISED = "tally-promise-v1".getBytes(US_ASCII);
    private static final byte[] POSITION = "tally-member-v1".getBytes(US_ASCII);

    public MemberSecret {
        if (generation < 1) {
            throw new IllegalArgumentException("generations are counted from 1, got " + generation);
        }
    }

    /**
     * The tag of one acceptance of a key.
     *
     * @param acceptance 0 for the first; a key has a second one only after the first has expired
     */
    public Hash tag(String door, String key, int acceptance) {
        return HmacSha256.mac(
                secret.bytes(),
                TAG,
                HmacSha256.lengthPrefixed(door),
                HmacSha256.lengthPrefixed(key),
                HmacSha256.number(acceptance));
    }

    /** What the log says of this secret before the first tag made with it. */
    public Hash commitment() {
        return HmacSha256.mac(
                secret.bytes(),
                COMMITTED,
                HmacSha256.lengthPrefixed(mesh),
                HmacSha256.lengthPrefixed(member),
                HmacSha256.number(generation));
    }

    /** Opens the commitment of a promise, which is made before the sealer draws the salt of the job. */
    public Hash promiseOpening(String job) {
        return HmacSha256.expand(secret, PROMISED, HmacSha256.lengthPrefixed(job));
    }

    public Hash position() {
        return position(mesh, member, generation);
    }

    /**
     * Where the map holds the commitment of a member's secret. Everyone who knows the ids can compute it, and so can see that a
     * generation has one secret and which generation is the last.
     */
    public static Hash position(String mesh, String member, int generation) {
        return Hash.sha256(
                POSITION,
                HmacSha256.lengthPrefixed(mesh),
                HmacSha256.lengthPrefixed(member),
                HmacSha256.number(generation));
    }

    @Override
    public String toString() {
        return "MemberSecret[" + mesh + ", " + member + ", " + generation + "]";
    }
}
