package dev.tallystick.keys;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes a key durable before foreign work begins, and settles it afterwards. A reservation never expires by time.
 *
 * <p>The caller owns the transactions. Reserving and settling may be repeated after an unknown outcome: nothing is written
 * twice, and the answer is the same. Thread-safe.
 */
public final class ReserveKeys {

    private final KeyRetention retention;
    private final CrashPoints crashPoints;
    private final KeyStore store = new KeyStore();
    private final KeyLookUp lookingUp = new KeyLookUp(this::lookUp);
    private final Primitive<ReserveClaim, Reserve> reserving = new ReservePrimitive(this);
    private final Primitive<Settlement, Settle> settling = new SettlePrimitive(this);

    public ReserveKeys(KeyRetention retention) {
        this(retention, CrashPoints.NONE);
    }

    public ReserveKeys(KeyRetention retention, CrashPoints crashPoints) {
        this.retention = retention;
        this.crashPoints = crashPoints;
    }

    /**
     * Reserves the free keys, and returns the result of each claim.
     *
     * @return one outcome for each claim, in the same order. Among claims with equal keys only the first may be reserved
     */
    public List<Reserve> reserve(Tx tx, List<ReserveClaim> claims) throws SQLException {
        // An insert waits for the transaction that is changing the same row; a read answers at once.
        Map<ScopedKey, KeyEntry> known =
                lookUp(tx, claims.stream().map(ReserveClaim::key).toList());
        Binding binding = Binding.of(
                claims.stream().filter(claim -> !known.containsKey(claim.key())).toList(),
                ReserveClaim::key,
                free -> store.insertPending(tx, free),
                bound -> store.read(tx, KeyKind.RESERVE, bound));
        known.putAll(binding.entries());
        return claims.stream()
                .map(claim -> outcome(claim, Objects.requireNonNull(known.get(claim.key()))))
                .toList();
    }

    /**
     * Writes the verdicts of the holders that still hold their reservations.
     *
     * @param settlements at most one for each key
     * @return one outcome for each settlement, in the same order
     */
    public List<Settle> settle(Tx tx, List<Settlement> settlements) throws SQLException {
        return settleLocked(tx, settlements, byKey(store.lock(tx, KeyKind.RESERVE, keysOf(settlements))));
    }

    /**
     * As {@link #settle}, but never waits for a lock.
     *
     * @return null for a settlement that was skipped because another transaction has locked its row
     */
    List<@Nullable Settle> settleUnlessBlocked(Tx tx, List<Settlement> settlements) throws SQLException {
        Set<ScopedKey> keys = keysOf(settlements);
        Map<ScopedKey, KeyEntry> locked = byKey(store.lockFree(tx, KeyKind.RESERVE, keys));
        Set<ScopedKey> blocked = new HashSet<>(keys);
        blocked.removeAll(locked.keySet());
        if (!blocked.isEmpty()) {
            blocked.retainAll(lookUp(tx, blocked).keySet());
        }
        List<Settlement> free = settlements.stream()
                .filter(settlement -> !blocked.contains(settlement.key()))
                .toList();
        Iterator<Settle> settled = settleLocked(tx, free, locked).iterator();
        List<@Nullable Settle> outcomes = new ArrayList<>(settlements.size());
        for (Settlement settlement : settlements) {
            outcomes.add(blocked.contains(settlement.key()) ? null : settled.next());
        }
        return outcomes;
    }

    /** {@link #reserve} for callers who share a commit. */
    public Primitive<ReserveClaim, Reserve> reserving() {
        return reserving;
    }

    /** {@link #settle} for callers who share a commit. */
    public Primitive<Settlement, Settle> settling() {
        return settling;
    }

    /**
     * Begins to run a transactional handler: the reservation stays locked until the transaction ends, so that other requests
     * see that it is running. A reservation that is not running is taken over, regardless of its owner: it is pending, so its
     * effect did not happen.
     *
     * @return the result of the claim; empty if the key is no longer reserved
     */
    Optional<Reserve> hold(Tx tx, ReserveClaim claim) throws SQLException {
        Optional<KeyEntry> free = store.lockIfFree(tx, claim.key());
        if (free.isEmpty()) {
            return store.read(tx, KeyKind.RESERVE, Set.of(claim.key())).stream()
                    .findFirst()
                    .map(entry -> outcomeOfOther(claim.fingerprint(), entry));
        }
        KeyEntry held = free.get();
        if (!held.standsFor(claim.fingerprint())) {
            return Optional.of(outcomeOfOther(claim.fingerprint(), held));
        }
        if (!isOwn(claim, held)) {
            held = store.takeOver(tx, held.reservation(), claim.owner())
                    .orElseThrow(() -> new IllegalStateException("a locked reservation changed: " + claim.key()));
        }
        return Optional.of(new Reserve.Reserved(held.reservation()));
    }

    /**
     * Settles the reservations of a dead owner: a transactional one has had no effect and is released, any other may have had
     * one and becomes unknown. Repeat until nothing is left.
     */
    public Recovery recover(Tx tx, KeyOwner dead, int limit) throws SQLException {
        List<Settlement> orphans = store.lockOrphans(tx, dead, limit).stream()
                .map(entry -> new Settlement(
                        entry.reservation(), entry.isTransactional() ? Verdict.release() : Verdict.unknown()))
                .toList();
        int released = 0;
        for (Settle outcome : settle(tx, orphans)) {
            released += outcome instanceof Settle.Released ? 1 : 0;
        }
        crashPoints.reached(KeysCrashPoint.RECOVERY_WRITTEN);
        return new Recovery(released, orphans.size() - released);
    }

    /**
     * Settles a reservation on behalf of its holder, who may be dead or only slow. It is taken over first: from then on the
     * holder's verdict is refused, even if it is the same. May be repeated after an unknown outcome.
     *
     * @param id of the reservation as you read it, with its fence; if it has changed since, nothing is written
     */
    public Settle resolve(Tx tx, ScopedKey key, UUID id, long fence, KeyOwner resolver, Verdict.Resolution resolution)
            throws SQLException {
        Map<ScopedKey, KeyEntry> locked = byKey(store.lock(tx, KeyKind.RESERVE, Set.of(key)));
        KeyEntry entry = locked.get(key);
        if (entry != null && !entry.status().isFinal() && isHeldBy(entry, id, fence)) {
            KeyEntry taken = store.takeOver(tx, entry.reservation(), resolver)
                    .orElseThrow(() -> new IllegalStateException("a locked reservation changed: " + key));
            locked.put(key, taken);
        }
        Reservation taken = new Reservation(key, id, resolver, fence + 1);
        return settleLocked(tx, List.of(new Settlement(taken, resolution)), locked)
                .getFirst();
    }

    /** {@link #lookUp} for callers who share a round trip. */
    public Primitive<ScopedKey, Optional<KeyEntry>> lookingUp() {
        return lookingUp;
    }

    /** The entries of the given keys; free keys are left out. */
    public Map<ScopedKey, KeyEntry> lookUp(Tx tx, Collection<ScopedKey> keys) throws SQLException {
        return byKey(store.read(tx, KeyKind.RESERVE, Set.copyOf(keys)));
    }

    /** The pending and unknown keys, the oldest first. */
    public List<KeyEntry> unresolved(Tx tx, int limit) throws SQLException {
        return store.unresolved(tx, limit);
    }

    /** As {@link #unresolved(Tx, int)}, in one mesh. */
    public List<KeyEntry> unresolved(Tx tx, String mesh, int limit) throws SQLException {
        return store.unresolved(tx, mesh, limit);
    }

    /** The reservations of all members of a mesh under one key. */
    public List<KeyEntry> reserved(Tx tx, String mesh, IdempotencyKey key) throws SQLException {
        return store.reserved(tx, mesh, key);
    }

    private static boolean isHeldBy(KeyEntry entry, UUID id, long fence) {
        Reservation held = entry.reservation();
        return held.id().equals(id) && held.fence() == fence;
    }

    private List<Settle> settleLocked(Tx tx, List<Settlement> settlements, Map<ScopedKey, KeyEntry> locked)
            throws SQLException {
        Map<ScopedKey, KeyEntry> after = new HashMap<>(locked);
        List<Settlement> answers = new ArrayList<>();
        List<Settlement> releases = new ArrayList<>();
        for (Settlement settlement : settlements) {
            if (changes(settlement, locked.get(settlement.key()))) {
                (settlement.verdict() instanceof Verdict.Release ? releases : answers).add(settlement);
            }
        }
        if (!answers.isEmpty()) {
            store.settle(tx, answers, retention).forEach(entry -> after.put(entry.key(), entry));
        }
        if (!releases.isEmpty()) {
            store.release(tx, releases).forEach(entry -> after.remove(entry.key()));
        }
        return settlements.stream()
                .map(settlement -> outcome(settlement, after.get(settlement.key())))
                .toList();
    }

    private static Reserve outcome(ReserveClaim claim, KeyEntry entry) {
        boolean own =
                entry.standsFor(claim.fingerprint()) && entry.status() == KeyStatus.PENDING && isOwn(claim, entry);
        return own ? new Reserve.Reserved(entry.reservation()) : outcomeOfOther(claim.fingerprint(), entry);
    }

    private static boolean isOwn(ReserveClaim claim, KeyEntry entry) {
        return entry.reservation()
                .equals(new Reservation(claim.key(), claim.id(), claim.owner(), Reservation.FIRST_FENCE));
    }

    private static Reserve outcomeOfOther(Fingerprint offered, KeyEntry entry) {
        if (!entry.standsFor(offered)) {
            return new Reserve.Reused(KeyReuse.of(entry, offered));
        }
        return switch (entry.status()) {
            case PENDING -> new Reserve.InProgress(entry);
            case OUTCOME_UNKNOWN -> new Reserve.OutcomeUnknown(entry);
            case COMMITTED, REJECTED -> new Reserve.Replayed(entry);
        };
    }

    /** Whether the settlement has something to write: it holds the reservation, and its verdict is new. */
    private static boolean changes(Settlement settlement, @Nullable KeyEntry entry) {
        return entry != null
                && !entry.status().isFinal()
                && entry.reservation().equals(settlement.reservation())
                && !says(entry, settlement.verdict());
    }

    private static Settle outcome(Settlement settlement, @Nullable KeyEntry after) {
        Reservation reservation = settlement.reservation();
        if (settlement.verdict() instanceof Verdict.Release) {
            boolean gone = after == null || !after.original().equals(reservation.id());
            return gone ? new Settle.Released() : new Settle.Overruled(after);
        }
        return after != null && after.reservation().equals(reservation) && says(after, settlement.verdict())
                ? new Settle.Settled(after)
                : new Settle.Overruled(after);
    }

    private static boolean says(KeyEntry entry, Verdict verdict) {
        return switch (verdict) {
            case Verdict.Answer answer ->
                entry.status() == KeyStore.statusAfter(answer) && Objects.equals(entry.response(), answer.response());
            case Verdict.Unknown unknown -> entry.status() == KeyStatus.OUTCOME_UNKNOWN;
            case Verdict.Release release -> false;
        };
    }

    private static Set<ScopedKey> keysOf(List<Settlement> settlements) {
        Set<ScopedKey> keys = HashSet.newHashSet(settlements.size());
        for (Settlement settlement : settlements) {
            if (!keys.add(settlement.key())) {
                throw new IllegalArgumentException("settled twice in one batch: " + settlement.key());
            }
        }
        return keys;
    }

    private static Map<ScopedKey, KeyEntry> byKey(List<KeyEntry> entries) {
        Map<ScopedKey, KeyEntry> byKey = HashMap.newHashMap(entries.size());
        entries.forEach(entry -> byKey.put(entry.key(), entry));
        return byKey;
    }
}
