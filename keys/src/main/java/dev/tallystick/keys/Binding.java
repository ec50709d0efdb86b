package dev.tallystick.keys;

import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The bindings of a batch's keys: every key has an entry.
 *
 * @param fresh the keys that were bound just now
 */
record Binding(Map<ScopedKey, KeyEntry> entries, Set<ScopedKey> fresh) {

    /** Each round requires a row that vanishes between two statements; two in a row are already rare. */
    private static final int MAX_ROUNDS = 5;

    /** Inserts rows for the claims whose keys are free, and returns these rows. */
    interface Insert<C> {
        List<KeyEntry> insert(List<C> claims) throws SQLException;
    }

    /** Reads the rows of keys; free keys have none. */
    interface Read {
        List<KeyEntry> read(Collection<ScopedKey> keys) throws SQLException;
    }

    /** Binds the free keys, each to the first claim that names it, and reads the entries of the others. */
    static <C> Binding of(List<C> claims, Function<C, ScopedKey> keyOf, Insert<C> insert, Read read)
            throws SQLException {
        Map<ScopedKey, C> unbound = LinkedHashMap.newLinkedHashMap(claims.size());
        claims.forEach(claim -> unbound.putIfAbsent(keyOf.apply(claim), claim));
        Binding binding = new Binding(HashMap.newHashMap(unbound.size()), HashSet.newHashSet(unbound.size()));
        for (int round = 1; !unbound.isEmpty(); round++) {
            if (round > MAX_ROUNDS) {
                throw new IllegalStateException("keys keep vanishing between two statements: " + unbound.keySet());
            }
            for (KeyEntry inserted : insert.insert(List.copyOf(unbound.values()))) {
                binding.put(inserted, unbound);
                binding.fresh.add(inserted.key());
            }
            if (!unbound.isEmpty()) {
                // A separate statement, because only a new snapshot sees the rows that won.
                for (KeyEntry winner : read.read(unbound.keySet())) {
                    binding.put(winner, unbound);
                }
            }
        }
        return binding;
    }

    KeyEntry entry(ScopedKey key) {
        KeyEntry entry = entries.get(key);
        if (entry == null) {
            throw new IllegalStateException("no entry was created or found for " + key);
        }
        return entry;
    }

    private void put(KeyEntry entry, Map<ScopedKey, ?> unbound) {
        entries.put(entry.key(), entry);
        unbound.remove(entry.key());
    }
}
