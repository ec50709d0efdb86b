package dev.tallystick.sql;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A batch turned on its side: one array for each column, as {@code unnest} takes them. */
public record Columns<T>(List<T> items) {

    public UUID[] uuids(Function<T, @Nullable UUID> column) {
        return items.stream().map(column).toArray(UUID[]::new);
    }

    public String[] texts(Function<T, @Nullable String> column) {
        return items.stream().map(column).toArray(String[]::new);
    }

    public byte[][] bytes(Function<T, byte @Nullable []> column) {
        return items.stream().map(column).toArray(byte[][]::new);
    }

    public long[] longs(ToLongFunction<T> column) {
        return items.stream().mapToLong(column).toArray();
    }

    public Long[] optionalLongs(Function<T, @Nullable Long> column) {
        return items.stream().map(column).toArray(Long[]::new);
    }

    public int[] ints(ToIntFunction<T> column) {
        return items.stream().mapToInt(column).toArray();
    }

    public boolean[] flags(Predicate<T> column) {
        boolean[] flags = new boolean[items.size()];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = column.test(items.get(i));
        }
        return flags;
    }
}
