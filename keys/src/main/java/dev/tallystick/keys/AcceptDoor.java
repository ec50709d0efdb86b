package dev.tallystick.keys;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Binds keys in the transaction that accepts what they ask for: a key is bound if and only if that transaction commits, and a
 * rejection leaves nothing behind.
 *
 * <p>The caller owns the transaction, and calls this before it locks anything but keys. A batch whose keys are all free costs
 * one statement, any other batch two. Thread-safe.
 */
public final class AcceptDoor {

    private final KeyRetention retention;
    private final CrashPoints crashPoints;
    private final KeyStore store = new KeyStore();
    private final KeyLookUp lookingUp = new KeyLookUp(this::lookUp);

    public AcceptDoor(KeyRetention retention) {
        this(retention, CrashPoints.NONE);
    }

    public AcceptDoor(KeyRetention retention, CrashPoints crashPoints) {
        this.retention = retention;
        this.crashPoints = crashPoints;
    }

    /** How long keys are remembered. */
    public KeyRetention retention() {
        return retention;
    }

    /**
     * Binds the keys that are free, and says for each claim what its key is bound to. Applied again to claims that are bound
     * already it writes nothing, so it may be repeated after an unknown outcome.
     *
     * @return one outcome for each claim, in the same order. Of claims with equal keys the first is the one that may be fresh
     */
    public List<Accept> accept(Tx tx, List<AcceptClaim> claims) throws SQLException {
        return accept(tx, claims, free -> store.insertAccepted(tx, free, retention));
    }

    /** As {@link #accept(Tx, List)}; what belongs to the keys that were free is written by the statement that binds them. */
    public List<Accept> accept(Tx tx, List<AcceptClaim> claims, BoundWrites writes) throws SQLException {
        return accept(tx, claims, free -> store.insertAcceptedWith(tx, free, retention, writes));
    }

    private List<Accept> accept(Tx tx, List<AcceptClaim> claims, Binding.Insert<AcceptClaim> insert)
            throws SQLException {
        Binding binding = Binding.of(claims, AcceptClaim::key, insert, bound -> store.read(tx, Door.ACCEPT, bound));
        crashPoints.reached(KeysCrashPoint.ACCEPT_WRITTEN);
        List<Accept> outcomes = new ArrayList<>(claims.size());
        for (AcceptClaim claim : claims) {
            KeyEntry entry = binding.entry(claim.key());
            // Removed, so that a second claim in the same batch finds the key bound.
            boolean first = binding.fresh().remove(claim.key());
            outcomes.add(first ? new Accept.Fresh(entry) : outcome(claim, entry));
        }
        return outcomes;
    }

    /**
     * Takes back what this same transaction has bound, for claims that turn out to be refused. Deciding after the key is bound
     * is what makes a refusal definite: nobody else can have the same request under way meanwhile.
     *
     * @param refused claims that were {@link Accept.Fresh}
     */
    public void withdraw(Tx tx, List<AcceptClaim> refused) throws SQLException {
        int withdrawn = store.withdraw(tx, refused);
        if (withdrawn != refused.size()) {
            throw new IllegalStateException(
                    "of " + refused.size() + " keys only " + withdrawn + " were bound in this transaction");
        }
    }

    /** Marks what these keys stand for as not readable any more. The keys go on to be remembered. */
    public void forgetHistory(Tx tx, Collection<ScopedKey> keys) throws SQLException {
        store.forgetHistory(tx, Set.copyOf(keys));
    }

    /** {@link #lookUp} for callers that share a round trip. */
    public Primitive<ScopedKey, Optional<KeyEntry>> lookingUp() {
        return lookingUp;
    }

    /** What the given keys are bound to; those that are free are left out. */
    public Map<ScopedKey, KeyEntry> lookUp(Tx tx, Collection<ScopedKey> keys) throws SQLException {
        Map<ScopedKey, KeyEntry> entries = HashMap.newHashMap(keys.size());
        store.read(tx, Door.ACCEPT, Set.copyOf(keys)).forEach(entry -> entries.put(entry.key(), entry));
        return entries;
    }

    private static Accept outcome(AcceptClaim claim, KeyEntry bound) {
        if (!bound.standsFor(claim.fingerprint())) {
            return new Accept.Reused(KeyReuse.of(bound, claim.fingerprint()));
        }
        return bound.original().equals(claim.original()) ? new Accept.Confirmed(bound) : new Accept.Replayed(bound);
    }
}
