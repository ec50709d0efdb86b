package dev.tallystick.engine.seal;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.keys.ScopedKey;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.files.LogSnapshot;
import dev.tallystick.log.map.MapLeaf;
import dev.tallystick.log.note.NoteSigner;
import dev.tallystick.log.receipt.AcceptancePromise;
import dev.tallystick.log.receipt.Opened;
import dev.tallystick.log.receipt.SignedPromise;
import dev.tallystick.log.tree.Hash;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Promises that accepted jobs will be in the log. A promise follows from the row of its key alone, and Ed25519 is deterministic:
 * every repeat of a submission gets the same bytes. Thread-safe.
 */
public final class Promises {

    /** How long after its acceptance a job is in the log at the latest, unless sealing is stopped for that long. */
    public static final Duration WITHIN = Duration.ofHours(24);

    private static final int MOST_ACCEPTANCES = 1_000;

    private final InstallationSecret secret;
    private final Supplier<NoteSigner> signer;
    private final Supplier<@Nullable LogSnapshot> served;
    private final Instant begun;

    /**
     * @param served the log as of the last anchor; null if this process does not seal
     * @param begun when the log began, if it succeeds another one
     */
    Promises(
            InstallationSecret secret,
            Supplier<NoteSigner> signer,
            Supplier<@Nullable LogSnapshot> served,
            Instant begun) {
        this.begun = begun;
        this.secret = secret;
        this.signer = signer;
        this.served = served;
    }

    /**
     * The number of the key's next acceptance: 0, or more after an expiry. The caller has to keep it with the key. The sealer
     * will use the same number, because no key expires before its acceptance is sealed.
     *
     * @return empty if this process does not seal: it can promise nothing
     */
    public OptionalInt nextAcceptance(ScopedKey key) {
        LogSnapshot log = served.get();
        if (log == null) {
            return OptionalInt.empty();
        }
        MemberSecret member = member(key);
        try {
            for (int number = 0; number < MOST_ACCEPTANCES; number++) {
                Hash tag = tag(member, key, number);
                MapLeaf leaf = log.prove(tag).leaf();
                if (leaf == null || !leaf.tag().equals(tag)) {
                    return OptionalInt.of(number);
                }
            }
            return OptionalInt.empty();
        } catch (IOException e) {
            // The sealer closed the map, because it lost its lease or raised the alarm. The job is accepted without a
            // promise.
            return OptionalInt.empty();
        }
    }

    /** Whether this log promises jobs that were accepted then: the promises of a lost log are not its own. */
    public boolean covers(Instant acceptedAt) {
        return !acceptedAt.isBefore(begun);
    }

    /** The promise for an accepted job, as JSON in UTF-8. */
    public byte[] promise(ScopedKey key, int acceptance, UUID job, Fingerprint fingerprint, Instant acceptedAt) {
        MemberSecret member = member(key);
        NoteSigner by = signer.get();
        String id = job.toString();
        Hash opening = member.promiseOpening(id);
        AcceptancePromise promise = new AcceptancePromise(
                by.key().name(),
                tag(member, key, acceptance),
                id,
                AcceptancePromise.commitTo(opening, id, fingerprint.hex()),
                acceptedAt,
                acceptedAt.plus(WITHIN));
        return new SignedPromise(by.sign(promise.text()), new Opened(Json.of(fingerprint.hex()), opening))
                .json()
                .canonicalBytes();
    }

    private MemberSecret member(ScopedKey key) {
        return secret.of(key.scope().mesh(), key.scope().member(), BatchPlanner.GENERATION);
    }

    private static Hash tag(MemberSecret member, ScopedKey key, int acceptance) {
        return member.tag(MemberSecret.ACCEPT_DOOR, key.key().value(), acceptance);
    }
}
