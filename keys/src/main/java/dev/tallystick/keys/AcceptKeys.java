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
 * Binds keys in the transaction that accepts their requests: a key is bound if and only if that transaction commits, and a
 * rejection leaves nothing behind.
 *
 * <p>The caller owns the transaction, and calls this before it locks anything but keys. A batch with only free keys costs one
 * statement, any other batch two. Thread-safe.
 */
public final class AcceptKeys {

    private final KeyRetention retention;
    private final CrashPoints crashPoints;
    private final KeyStore store = new KeyStore();
    private final KeyLookUp lookingUp = new KeyLookUp(this::lookUp);

    public AcceptKeys(KeyRetention retention) {
        this(retention, CrashPoints.NONE);
    }

    public AcceptKeys(KeyRetention retention, CrashPoints crashPoints) {
        this.retention = retention;
        this.crashPoints = crashPoints;
    }

    /** How long keys are remembered. */
    public KeyRetention retention() {
        return retention;
    }

    /**
     * Binds the free keys, and returns for each claim what its key is bound to. It writes nothing for claims that are already
     * bound, so it may be repeated after an unknown outcome.
     *
     * @return one outcome for each claim, in the same order. Among claims with equal keys only the first may be fresh
     */
    public List<Accept> accept(Tx tx, List<AcceptClaim> claims) throws SQLException {
        return accept(tx, claims, free -> store.insertAccepted(tx, free, retention));
    }

    /** As {@link #accept(Tx, List)}; the statement that binds the free keys also writes their rows. */
    public List<Accept> accept(Tx tx, List<AcceptClaim> claims, RidingInserts writes) throws SQLException {
        return accept(tx, claims, free -> store.insertAcceptedWith(tx, free, retention, writes));
    }

    private List<Accept> accept(Tx tx, List<AcceptClaim> claims, Binding.Insert<AcceptClaim> insert)
            throws SQLException {
        Binding binding = Binding.of(claims, AcceptClaim::key, insert, bound -> store.read(tx, KeyKind.ACCEPT, bound));
        crashPoints.reached(KeysCrashPoint.ACCEPT_WRITTEN);
        List<Accept> outcomes = new ArrayList<>(claims.size());
        for (AcceptClaim claim : claims) {
            KeyEntry entry = binding.entry(claim.key());
            // Remove it, so that a second claim in the same batch finds the key bound.
            boolean first = binding.fresh().remove(claim.key());
            outcomes.add(first ? new Accept.Fresh(entry) : outcome(claim, entry));
        }
        return outcomes;
    }

    /**
     * Releases keys that this same transaction has bound, for claims that turn out to be refused. A refusal is definite
     * because it is decided after the key is bound: meanwhile no one else can run the same request.
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

    /** Marks the history entries of these keys as no longer readable. The keys are still remembered. */
    public void forgetHistory(Tx tx, Collection<ScopedKey> keys) throws SQLException {
        store.forgetHistory(tx, Set.copyOf(keys));
    }

    /** {@link #lookUp} for callers who share a round trip. */
    public Primitive<ScopedKey, Optional<KeyEntry>> lookingUp() {
        return lookingUp;
    }

    /** The entries of the given keys; free keys are left out. */
    public Map<ScopedKey, KeyEntry> lookUp(Tx tx, Collection<ScopedKey> keys) throws SQLException {
        Map<ScopedKey, KeyEntry> entries = HashMap.newHashMap(keys.size());
        store.read(tx, KeyKind.ACCEPT, Set.copyOf(keys)).forEach(entry -> entries.put(entry.key(), entry));
        return entries;
    }

    private static Accept outcome(AcceptClaim claim, KeyEntry bound) {
        Optional<KeyEntry> same = bound.answering(claim.fingerprint());
        if (same.isEmpty()) {
            return new Accept.Reused(KeyReuse.of(bound, claim.fingerprint()));
        }
        return bound.original().equals(claim.original())
                ? new Accept.Confirmed(same.get())
                : new Accept.Replayed(same.get());
    }
}
