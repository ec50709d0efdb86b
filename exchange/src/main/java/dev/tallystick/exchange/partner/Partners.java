package dev.tallystick.exchange.partner;

import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.signing.BatchSignature;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.exchange.signing.SignatureCheck;
import dev.tallystick.sql.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The participants whose signatures we accept, with their keys, in the database: all instances see the same. Reads them again
 * when a signature names an unknown key, but not more often than once a second. Thread-safe.
 */
public final class Partners {

    private static final long BETWEEN_READS = Duration.ofSeconds(1).toNanos();

    private final Database database;
    private final PartnerStore store = new PartnerStore();
    private final SignatureCheck check = new SignatureCheck();
    private volatile List<PartnerStore.Row> rows;
    private volatile long readAt;

    public Partners(Database database) {
        this.database = database;
        this.rows = read();
    }

    /** Accepts this key as the participant's, because an operator has verified it. */
    public void trust(Participant participant, PublicKey key) {
        database.transact("trust a partner's key", tx -> store.add(tx, participant, key, null));
        rows = read();
    }

    /**
     * Accepts the next key of a participant.
     *
     * @throws IllegalArgumentException if we do not trust its previous key
     */
    public void rotate(KeyRotation rotation) {
        rows = read();
        if (keyOf(rotation.participant(), rotation.previous().id()) == null) {
            throw new IllegalArgumentException(
                    "the previous key of this rotation is not a key of " + rotation.participant());
        }
        database.transact(
                "rotate a partner's key", tx -> store.add(tx, rotation.participant(), rotation.next(), rotation));
        rows = read();
    }

    /** No longer accepts this key, for example because it leaked. */
    public boolean revoke(Participant participant, PublicKey key) {
        boolean revoked =
                database.transact("revoke a partner's key", tx -> store.revoke(tx, participant, key.id())) == 1;
        rows = read();
        return revoked;
    }

    /** The keys of a participant that are not revoked, the oldest first. */
    public List<PublicKey> keys(Participant participant) {
        return rows.stream()
                .filter(row -> row.participant().equals(participant) && !row.revoked())
                .map(PartnerStore.Row::key)
                .toList();
    }

    /** Whether we accept a key of this participant. Reads the database if none is known here yet. */
    public boolean isKnown(Participant participant) {
        if (keys(participant).isEmpty() && System.nanoTime() - readAt > BETWEEN_READS) {
            rows = read();
        }
        return !keys(participant).isEmpty();
    }

    /** All rotations, for evidence. */
    public List<KeyRotation> rotations() {
        List<KeyRotation> rotations = new ArrayList<>();
        for (PartnerStore.Row row : rows) {
            KeyRotation rotation = row.rotation();
            if (rotation != null) {
                rotations.add(rotation);
            }
        }
        return rotations;
    }

    /** Whether the participant has signed the statement, with a key that we accept. */
    public boolean hasSigned(Participant participant, byte[] statement, BatchSignature signature) {
        PublicKey key = keyOf(participant, signature.keyId());
        if (key == null && System.nanoTime() - readAt > BETWEEN_READS) {
            rows = read();
            key = keyOf(participant, signature.keyId());
        }
        return key != null && check.isGood(key, statement, signature);
    }

    private @Nullable PublicKey keyOf(Participant participant, String keyId) {
        for (PartnerStore.Row row : rows) {
            if (row.participant().equals(participant)
                    && !row.revoked()
                    && row.key().id().equals(keyId)) {
                return row.key();
            }
        }
        return null;
    }

    private List<PartnerStore.Row> read() {
        List<PartnerStore.Row> read = database.transact("read the partners' keys", store::read);
        readAt = System.nanoTime();
        return read;
    }
}
