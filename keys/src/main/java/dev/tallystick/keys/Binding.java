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
 * What the keys of a batch are bound to: every key has an entry.
 *
 * @param fresh the keys that were bound just now
 */
record Binding(Map<ScopedKey, KeyEntry> entries, Set<ScopedKey> fresh) {

    /** Each round needs a row that goes away between two statements; two in a row are already a curiosity. */
    private static final int MAX_ROUNDS = 5;

    /** Inserts the rows of those claims whose keys are free, and returns these rows. */
    interface Insert<C> {
        List<KeyEntry> insert(List<C> claims) throws SQLException;
    }

    /** Reads the rows of keys; those that are free have none. */
    interface Read {
        List<KeyEntry> read(Collection<ScopedKey> keys) throws SQLException;
    }

    /** Binds the keys that are free, each to the first claim that names it, and reads what the others are bound to. */
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
                // A statement of its own, for only a new snapshot sees the rows that won.
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
            throw new IllegalStateException("no entry was made or found for " + key);
        }
        return entry;
    }

    private void put(KeyEntry entry, Map<ScopedKey, ?> unbound) {
        entries.put(entry.key(), entry);
        unbound.remove(entry.key());
    }
}
