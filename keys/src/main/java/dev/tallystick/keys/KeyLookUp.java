package dev.tallystick.keys;

import dev.tallystick.sql.Primitive;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Combines lookups of keys that arrive at the same moment. Writes nothing. */
final class KeyLookUp implements Primitive<ScopedKey, Optional<KeyEntry>> {

    private final Finder keys;

    KeyLookUp(Finder keys) {
        this.keys = keys;
    }

    /** The lookup of one of the doors. */
    @FunctionalInterface
    interface Finder {
        Map<ScopedKey, KeyEntry> lookUp(Tx tx, Collection<ScopedKey> keys) throws SQLException;
    }

    @Override
    public String name() {
        return "look up keys";
    }

    @Override
    public int rank() {
        return 0;
    }

    /** Several callers may ask for the same key at once. */
    @Override
    public Object orderKey(ScopedKey key) {
        return new Object();
    }

    @Override
    public List<@Nullable Optional<KeyEntry>> apply(Tx tx, List<ScopedKey> keysWanted) throws SQLException {
        Map<ScopedKey, KeyEntry> found = keys.lookUp(tx, keysWanted);
        List<@Nullable Optional<KeyEntry>> answers = new ArrayList<>(keysWanted.size());
        for (ScopedKey key : keysWanted) {
            answers.add(Optional.ofNullable(found.get(key)));
        }
        return answers;
    }
}
