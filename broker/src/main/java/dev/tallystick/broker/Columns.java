package dev.tallystick.broker;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A batch turned on its side: one array for each column, as {@code unnest} takes them. */
record Columns<T>(List<T> items) {

    UUID[] uuids(Function<T, @Nullable UUID> column) {
        return items.stream().map(column).toArray(UUID[]::new);
    }

    String[] texts(Function<T, @Nullable String> column) {
        return items.stream().map(column).toArray(String[]::new);
    }

    byte[][] bytes(Function<T, byte @Nullable []> column) {
        return items.stream().map(column).toArray(byte[][]::new);
    }

    int[] ints(ToIntFunction<T> column) {
        return items.stream().mapToInt(column).toArray();
    }

    long[] longs(ToLongFunction<T> column) {
        return items.stream().mapToLong(column).toArray();
    }
}
