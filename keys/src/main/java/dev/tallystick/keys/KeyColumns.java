package dev.tallystick.keys;

import java.util.Collection;
import java.util.function.Function;

/** Keys as the arrays that {@code unnest} takes. */
final class KeyColumns {

    private final String[] keys;
    private final String[] meshes;
    private final String[] members;

    private KeyColumns(int size) {
        keys = new String[size];
        meshes = new String[size];
        members = new String[size];
    }

    static <T> KeyColumns of(Collection<T> items, Function<? super T, ScopedKey> keyOf) {
        KeyColumns columns = new KeyColumns(items.size());
        int i = 0;
        for (T item : items) {
            ScopedKey key = keyOf.apply(item);
            columns.keys[i] = key.key().value();
            columns.meshes[i] = key.scope().mesh();
            columns.members[i] = key.scope().member();
            i++;
        }
        return columns;
    }

    String[] keys() {
        return keys;
    }

    String[] meshes() {
        return meshes;
    }

    String[] members() {
        return members;
    }
}
